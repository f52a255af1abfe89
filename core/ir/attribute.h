// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/ids.h"
#include "core/ir/tensor.h"

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace secateur {

/// AttributeProto.AttributeType with ONNX's own numbers; other numbers are kept as they are.
enum class AttributeType : std::int32_t {
    undefined = 0,
    float_ = 1,
    int_ = 2,
    string = 3,
    tensor = 4,
    graph = 5,
    floats = 6,
    ints = 7,
    strings = 8,
    tensors = 9,
    graphs = 10,
    sparseTensor = 11,
    sparseTensors = 12,
    typeProto = 13,
    typeProtos = 14,
};

/// One attribute of a node. Types that the variant does not hold (sparse tensors, type protos, unknown ones)
/// live in `rest`, in wire form, and survive a round trip.
struct Attribute {
    using Value = std::variant<std::monostate, std::int64_t, float, std::string, TensorPtr, GraphId,
                               std::vector<std::int64_t>, std::vector<float>, std::vector<std::string>,
                               std::vector<TensorPtr>, std::vector<GraphId>>;
    std::string name;
    AttributeType type = AttributeType::undefined;
    Value value;
    std::string
        reference; ///< ref_attr_name: inside a function body, the attribute of the call that gives the value
    std::string rest;          ///< serialized AttributeProto with the fields above left out
    std::uint8_t presence = 0; ///< presence bits of the loader

    [[nodiscard]] static Attribute of(std::string name, std::int64_t value);
    [[nodiscard]] static Attribute of(std::string name, float value);
    [[nodiscard]] static Attribute of(std::string name, std::string value);
    [[nodiscard]] static Attribute of(std::string name, TensorPtr value);
    [[nodiscard]] static Attribute of(std::string name, std::vector<std::int64_t> value);
};

/// All attributes of one node in file order; shared and never changed in place.
using AttributeList = std::vector<Attribute>;
using AttributeListPtr = std::shared_ptr<const AttributeList>;

/// The attribute called `name`, or null.
[[nodiscard]] const Attribute* findAttribute(const AttributeListPtr& list, std::string_view name);

} // namespace secateur
