// SPDX-License-Identifier: Apache-2.0
#include "core/ir/attribute.h"

namespace secateur {
namespace {

Attribute make(std::string name, AttributeType type, Attribute::Value value) {
    Attribute attribute;
    attribute.name = std::move(name);
    attribute.type = type;
    attribute.value = std::move(value);
    return attribute;
}

} // namespace

Attribute Attribute::of(std::string name, std::int64_t value) {
    return make(std::move(name), AttributeType::int_, value);
}
Attribute Attribute::of(std::string name, float value) {
    return make(std::move(name), AttributeType::float_, value);
}
Attribute Attribute::of(std::string name, std::string value) {
    return make(std::move(name), AttributeType::string, std::move(value));
}
Attribute Attribute::of(std::string name, TensorPtr value) {
    return make(std::move(name), AttributeType::tensor, std::move(value));
}
Attribute Attribute::of(std::string name, std::vector<std::int64_t> value) {
    return make(std::move(name), AttributeType::ints, std::move(value));
}

const Attribute* findAttribute(const AttributeListPtr& list, std::string_view name) {
    if (!list) return nullptr;
    for (const Attribute& attribute : *list) {
        if (attribute.name == name) return &attribute;
    }
    return nullptr;
}

} // namespace secateur
