// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/value_message.h"

#include "core/onnx/proto_types.h"
#include "core/onnx/tensor_wire.h"

#include <onnx/onnx-data.pb.h>

#include <cstring>
#include <exception>
#include <string>

namespace secateur {
namespace {

/// A message of libonnx as a tensor of ours, by way of its bytes.
TensorPtr tensorOf(const onnx::TensorProto& proto) {
    std::string bytes = proto.SerializeAsString();
    std::vector<std::byte> copy(bytes.size());
    if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
    ByteSource source(ByteRef::own(std::move(copy)));
    return std::make_shared<const Tensor>(readTensor(source.all(), source));
}

ValueMessage fromTensor(const onnx::TensorProto& proto) {
    ValueMessage message;
    message.tensor = tensorOf(proto);
    return message;
}

ValueMessage fromOptional(const onnx::OptionalProto& proto);

ValueMessage fromSequence(const onnx::SequenceProto& proto) {
    ValueMessage message;
    message.kind = ValueMessage::Kind::sequence;
    for (const auto& tensor : proto.tensor_values())
        message.items.push_back(fromTensor(tensor));
    for (const auto& sequence : proto.sequence_values())
        message.items.push_back(fromSequence(sequence));
    for (const auto& optional : proto.optional_values())
        message.items.push_back(fromOptional(optional));
    if (!message.items.empty() && message.items.front().tensor != nullptr)
        message.element = message.items.front().tensor->type;
    return message;
}

ValueMessage fromOptional(const onnx::OptionalProto& proto) {
    ValueMessage message;
    message.kind = ValueMessage::Kind::optional;
    if (proto.has_tensor_value()) message.items.push_back(fromTensor(proto.tensor_value()));
    if (proto.has_sequence_value()) message.items.push_back(fromSequence(proto.sequence_value()));
    if (proto.has_optional_value()) message.items.push_back(fromOptional(proto.optional_value()));
    return message;
}

void fill(const ValueMessage& message, onnx::TensorProto& proto) {
    toProto(*message.tensor, SIZE_MAX, proto);
}
void fill(const ValueMessage& message, onnx::OptionalProto& proto);

void fill(const ValueMessage& message, onnx::SequenceProto& proto) {
    using Kind = ValueMessage::Kind;
    const Kind kind = message.items.empty() ? Kind::tensor : message.items.front().kind;
    proto.set_elem_type(kind == Kind::tensor     ? onnx::SequenceProto::TENSOR
                        : kind == Kind::sequence ? onnx::SequenceProto::SEQUENCE
                                                 : onnx::SequenceProto::OPTIONAL);
    for (const ValueMessage& item : message.items) {
        if (item.kind == Kind::tensor)
            fill(item, *proto.add_tensor_values());
        else if (item.kind == Kind::sequence)
            fill(item, *proto.add_sequence_values());
        else
            fill(item, *proto.add_optional_values());
    }
}

void fill(const ValueMessage& message, onnx::OptionalProto& proto) {
    using Kind = ValueMessage::Kind;
    proto.set_elem_type(onnx::OptionalProto::UNDEFINED);
    if (message.items.empty()) return;
    const ValueMessage& held = message.items.front();
    if (held.kind == Kind::tensor) {
        proto.set_elem_type(onnx::OptionalProto::TENSOR);
        fill(held, *proto.mutable_tensor_value());
    } else if (held.kind == Kind::sequence) {
        proto.set_elem_type(onnx::OptionalProto::SEQUENCE);
        fill(held, *proto.mutable_sequence_value());
    } else {
        proto.set_elem_type(onnx::OptionalProto::OPTIONAL);
        fill(held, *proto.mutable_optional_value());
    }
}

template <typename Proto> std::vector<std::byte> bytesOf(const ValueMessage& message, std::string_view name) {
    Proto proto;
    fill(message, proto);
    proto.set_name(std::string(name));
    const std::string text = proto.SerializeAsString();
    std::vector<std::byte> bytes(text.size());
    if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

} // namespace

std::optional<ValueMessage> readValueMessage(const ByteRef& bytes, const Type& expected) {
    constexpr std::size_t kMostBytes = INT32_MAX;
    if (bytes.size > kMostBytes) return std::nullopt;
    const int size = static_cast<int>(bytes.size);
    try {
        if (expected.kind == Type::Kind::sequence) {
            onnx::SequenceProto proto;
            if (!proto.ParseFromArray(bytes.data, size)) return std::nullopt;
            ValueMessage message = fromSequence(proto);
            if (message.element == ElementType::undefined && expected.inner)
                message.element = expected.inner->element;
            return message;
        }
        if (expected.kind == Type::Kind::optional) {
            onnx::OptionalProto proto;
            if (!proto.ParseFromArray(bytes.data, size)) return std::nullopt;
            return fromOptional(proto);
        }
        onnx::TensorProto proto;
        if (!proto.ParseFromArray(bytes.data, size)) return std::nullopt;
        return fromTensor(proto);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

std::vector<std::byte> writeValueMessage(const ValueMessage& message, std::string_view name) {
    switch (message.kind) {
    case ValueMessage::Kind::tensor: return bytesOf<onnx::TensorProto>(message, name);
    case ValueMessage::Kind::sequence: return bytesOf<onnx::SequenceProto>(message, name);
    case ValueMessage::Kind::optional: return bytesOf<onnx::OptionalProto>(message, name);
    }
    return {};
}

} // namespace secateur
