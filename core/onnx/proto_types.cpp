// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/proto_types.h"

namespace secateur {
namespace {

void dimsToProto(const std::vector<Dim>& dims, onnx::TensorShapeProto& out) {
    for (const Dim& dim : dims) {
        onnx::TensorShapeProto::Dimension& made = *out.add_dim();
        if (dim.value && *dim.value >= 0)
            made.set_dim_value(*dim.value); // some exporters write -1 for "unknown"
        else if (!dim.symbol.empty())
            made.set_dim_param(dim.symbol);
    }
}

std::vector<Dim> dimsFromProto(const onnx::TensorShapeProto& shape) {
    std::vector<Dim> dims;
    dims.reserve(static_cast<std::size_t>(shape.dim_size()));
    for (const onnx::TensorShapeProto::Dimension& dim : shape.dim()) {
        Dim& made = dims.emplace_back();
        if (dim.has_dim_value())
            made.value = dim.dim_value();
        else
            made.symbol = dim.dim_param();
    }
    return dims;
}

template <class TensorType> Type fromTensorProto(Type::Kind kind, const TensorType& proto) {
    Type type;
    type.kind = kind;
    type.element = static_cast<ElementType>(proto.elem_type());
    type.hasShape = proto.has_shape();
    if (type.hasShape) type.dims = dimsFromProto(proto.shape());
    return type;
}

template <class TensorType> void toTensorProto(const Type& type, TensorType& out) {
    out.set_elem_type(static_cast<std::int32_t>(type.element));
    if (type.hasShape) dimsToProto(type.dims, *out.mutable_shape());
}

Type wrap(Type::Kind kind, const onnx::TypeProto& inner) {
    Type type;
    type.kind = kind;
    type.inner = std::make_shared<const Type>(fromProto(inner));
    return type;
}

void graphToProto(const Model& model, GraphId id, onnx::GraphProto& out) {
    for (const ValueId input : model.graphInputs(id)) {
        onnx::ValueInfoProto& made = *out.add_input();
        made.set_name(std::string(model.name(input)));
        const Type& type = model.declaredType(input);
        if (type.kind != Type::Kind::none) toProto(type, *made.mutable_type());
    }
    const InputRange outputs = model.graphOutputs(id);
    const auto& slots = *model.graph(id).outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        onnx::ValueInfoProto& made = *out.add_output();
        if (i >= slots.size()) continue;
        made.set_name(std::string(model.text(slots[i].name)));
        if (slots[i].info && slots[i].info->type.kind != Type::Kind::none) {
            toProto(slots[i].info->type, *made.mutable_type());
        }
    }
}

/// Writes the variant's alternatives into the fields of an AttributeProto.
struct AttributeWriter {
    const Model& model;
    std::size_t limit;
    onnx::AttributeProto& out;

    void operator()(std::monostate) const {}
    void operator()(std::int64_t value) const { out.set_i(value); }
    void operator()(float value) const { out.set_f(value); }
    void operator()(const std::string& value) const { out.set_s(value); }
    void operator()(const TensorPtr& value) const {
        if (value) toProto(*value, limit, *out.mutable_t());
    }
    void operator()(GraphId value) const { graphToProto(model, value, *out.mutable_g()); }
    void operator()(const std::vector<std::int64_t>& values) const {
        out.mutable_ints()->Add(values.begin(), values.end());
    }
    void operator()(const std::vector<float>& values) const {
        out.mutable_floats()->Add(values.begin(), values.end());
    }
    void operator()(const std::vector<std::string>& values) const {
        for (const std::string& value : values)
            out.add_strings(value);
    }
    void operator()(const std::vector<TensorPtr>& values) const {
        for (const TensorPtr& value : values)
            toProto(*value, limit, *out.add_tensors());
    }
    void operator()(const std::vector<GraphId>& values) const {
        for (const GraphId value : values)
            graphToProto(model, value, *out.add_graphs());
    }
};

} // namespace

void toProto(const Type& type, onnx::TypeProto& out) {
    switch (type.kind) {
    case Type::Kind::none: return;
    case Type::Kind::tensor: toTensorProto(type, *out.mutable_tensor_type()); return;
    case Type::Kind::sparseTensor: toTensorProto(type, *out.mutable_sparse_tensor_type()); return;
    case Type::Kind::sequence:
        out.mutable_sequence_type();
        if (type.inner) toProto(*type.inner, *out.mutable_sequence_type()->mutable_elem_type());
        return;
    case Type::Kind::optional:
        out.mutable_optional_type();
        if (type.inner) toProto(*type.inner, *out.mutable_optional_type()->mutable_elem_type());
        return;
    case Type::Kind::map:
        out.mutable_map_type()->set_key_type(static_cast<std::int32_t>(type.element));
        if (type.inner) toProto(*type.inner, *out.mutable_map_type()->mutable_value_type());
        return;
    case Type::Kind::opaque: out.mutable_opaque_type(); return;
    }
}

Type fromProto(const onnx::TypeProto& proto) {
    switch (proto.value_case()) {
    case onnx::TypeProto::kTensorType: return fromTensorProto(Type::Kind::tensor, proto.tensor_type());
    case onnx::TypeProto::kSparseTensorType:
        return fromTensorProto(Type::Kind::sparseTensor, proto.sparse_tensor_type());
    case onnx::TypeProto::kSequenceType: return wrap(Type::Kind::sequence, proto.sequence_type().elem_type());
    case onnx::TypeProto::kOptionalType: return wrap(Type::Kind::optional, proto.optional_type().elem_type());
    case onnx::TypeProto::kMapType: {
        Type type = wrap(Type::Kind::map, proto.map_type().value_type());
        type.element = static_cast<ElementType>(proto.map_type().key_type());
        return type;
    }
    case onnx::TypeProto::kOpaqueType: {
        Type type;
        type.kind = Type::Kind::opaque;
        return type;
    }
    case onnx::TypeProto::VALUE_NOT_SET: return {};
    }
    return {};
}

bool toProto(const Tensor& tensor, std::size_t limit, onnx::TensorProto& out) {
    out.set_data_type(static_cast<std::int32_t>(tensor.type));
    out.mutable_dims()->Add(tensor.dims.begin(), tensor.dims.end());
    if (tensor.encoding == Tensor::Encoding::strings) {
        if (tensor.strings.size() > limit / 64) return false;
        for (const std::string& text : tensor.strings)
            out.add_string_data(text);
        return true;
    }
    const auto size = tensor.byteSize();
    if (!size || *size > limit) return false;
    const auto bytes = rawBytes(tensor);
    if (!bytes) return false;
    if (bytes->size != 0) out.set_raw_data(bytes->data, bytes->size);
    return true;
}

void toProto(const Model& model, const Attribute& attribute, std::string_view name, std::size_t limit,
             onnx::AttributeProto& out) {
    if (!attribute.rest.empty()) out.ParseFromString(attribute.rest); // type protos, sparse tensors
    out.set_name(std::string(name));
    const auto number = static_cast<std::int32_t>(attribute.type);
    if (onnx::AttributeProto::AttributeType_IsValid(number)) {
        out.set_type(static_cast<onnx::AttributeProto::AttributeType>(number));
    }
    std::visit(AttributeWriter{model, limit, out}, attribute.value);
}

} // namespace secateur
