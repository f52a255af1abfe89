// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/onnx/wire.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace secateur::wire {

/// The messages of onnx-ml.proto.
enum class Message : std::uint8_t {
    attribute,
    valueInfo,
    node,
    intIntListEntry,
    nodeDevice,
    sharding,
    shardedDim,
    simpleShardedDim,
    trainingInfo,
    model,
    device,
    entry,
    annotation,
    graph,
    tensor,
    segment,
    sparseTensor,
    shape,
    dimension,
    type,
    tensorType,
    sequenceType,
    mapType,
    optionalType,
    sparseTensorType,
    opaqueType,
    opset,
    function,
};

/// How a field is encoded.
enum class Kind : std::uint8_t { int64, int32, uint64, enumeration, float32, float64, bytes, message };
enum class Label : std::uint8_t { singular, repeated, packed };

/// One field of the format.
struct FieldSchema {
    std::uint32_t number;
    Kind kind;
    Label label = Label::singular;
    Message message = Message::entry; ///< kind message: of which type
    std::uint8_t oneof = 0;           ///< members of one group exclude each other; 0 is none
    std::uint8_t lastEnumerator = 0;  ///< kind enumeration: 0 .. this are known
};

/// What the format says about field `number` of `message`; null when it knows no such field.
const FieldSchema* fieldSchema(Message message, std::uint32_t number);

/// Is it a field that protobuf would parse as known - number, wire type and enumerator known? All else is
/// kept as unknown, behind the known fields.
bool isKnown(Message message, const Field& field);

/// Are these the bytes that protobuf would write for the message they parse to? May say no in doubt.
bool isCanonical(Message message, std::string_view bytes);

/// The bytes that protobuf would write after parsing `bytes`: fields in order, numbers minimal, singular
/// messages merged, unknown fields last. Throws Malformed where it would not parse.
std::string canonicalize(Message message, std::string_view bytes);

} // namespace secateur::wire
