// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/type_pool.h"

#include "core/onnx/proto_types.h"

namespace secateur {
namespace {

template <class T> void put(std::string& key, T value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& key, const onnx::TensorShapeProto& shape) {
    put(key, shape.dim_size());
    for (const onnx::TensorShapeProto::Dimension& dim : shape.dim()) {
        if (dim.has_dim_value()) {
            key += 'v';
            put(key, dim.dim_value());
        } else {
            key += 's';
            put(key, dim.dim_param().size());
            key += dim.dim_param();
        }
    }
}

/// Bytes that are equal exactly when the types are.
void putType(std::string& key, const onnx::TypeProto& proto) {
    key += static_cast<char>('A' + proto.value_case());
    switch (proto.value_case()) {
    case onnx::TypeProto::kTensorType:
        put(key, proto.tensor_type().elem_type());
        if (proto.tensor_type().has_shape()) put(key, proto.tensor_type().shape());
        return;
    case onnx::TypeProto::kSparseTensorType:
        put(key, proto.sparse_tensor_type().elem_type());
        if (proto.sparse_tensor_type().has_shape()) put(key, proto.sparse_tensor_type().shape());
        return;
    case onnx::TypeProto::kSequenceType: putType(key, proto.sequence_type().elem_type()); return;
    case onnx::TypeProto::kOptionalType: putType(key, proto.optional_type().elem_type()); return;
    case onnx::TypeProto::kMapType:
        put(key, proto.map_type().key_type());
        putType(key, proto.map_type().value_type());
        return;
    case onnx::TypeProto::kOpaqueType:
        key += proto.opaque_type().domain() + '.' + proto.opaque_type().name();
        return;
    case onnx::TypeProto::VALUE_NOT_SET: return;
    }
}

} // namespace

std::uint32_t TypePool::intern(const onnx::TypeProto& proto) {
    m_key.clear();
    putType(m_key, proto);
    if (const auto at = m_numbers.find(m_key); at != m_numbers.end()) return at->second;
    const auto number = static_cast<std::uint32_t>(m_entries.size());
    m_entries.push_back(std::make_shared<const Entry>(Entry{fromProto(proto), proto}));
    m_numbers.emplace(m_key, number);
    return number;
}

std::uint32_t TypePool::intern(const Type& type) {
    onnx::TypeProto proto;
    toProto(type, proto);
    return intern(proto);
}

} // namespace secateur
