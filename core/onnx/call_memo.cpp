// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/call_memo.h"

#include <type_traits>

namespace secateur {
namespace {

template <class T> void append(std::string& key, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

} // namespace

std::string CallMemo::keyOf(const Frame& callee, std::span<const ValueId> formals, std::size_t callDepth,
                            std::size_t bodyDepth) {
    std::string key;
    append(key, callee.root.index);
    append(key, callDepth);
    append(key, bodyDepth);
    for (const ValueId formal : formals) {
        const auto given = callee.facts.find(formal.index);
        if (given == callee.facts.end()) {
            key += '-';
            continue;
        }
        const ValueFacts& facts = given->second;
        append(key, facts.type);
        key += facts.isDeclared ? 'd' : 'i';
        const std::string elements = facts.value ? facts.value->SerializeAsString() : std::string();
        key += facts.value ? 'v' : 'n';
        append(key, elements.size());
        key += elements;
        const auto constant = callee.constants.find(formal.index);
        append(key, constant == callee.constants.end() ? nullptr : constant->second.get());
    }
    for (const auto& [name, attribute] : callee.attributes) {
        key.append(name).append(1, '\0');
        append(key, attribute);
    }
    return key;
}

const CallMemo::Outcome* CallMemo::find(const std::string& key) const {
    const auto at = m_outcomes.find(key);
    return at == m_outcomes.end() ? nullptr : &at->second;
}

} // namespace secateur
