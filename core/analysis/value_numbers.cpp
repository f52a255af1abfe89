// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/value_numbers.h"

#include "core/support/hash.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace secateur {
namespace {

constexpr std::uint64_t kLargestCompared =
    65536; ///< bytes of a constant; larger ones are equal only when shared

template <class T> std::uint64_t hashNumbers(const std::vector<T>& numbers) {
    return hashBytes(numbers.data(), numbers.size() * sizeof(T));
}

std::uint64_t hashTensor(const TensorPtr& tensor) {
    if (!tensor) return 0;
    std::uint64_t hash = hashCombine(static_cast<std::uint64_t>(tensor->type), hashNumbers(tensor->dims));
    if (tensor->byteSize().value_or(kLargestCompared + 1) > kLargestCompared) return hash;
    if (const auto bytes = rawBytes(*tensor)) hash = hashCombine(hash, hashBytes(bytes->data, bytes->size));
    return hash;
}

bool isEqualTensor(const TensorPtr& a, const TensorPtr& b) {
    if (a == b) return true;
    if (!a || !b || a->type != b->type || a->dims != b->dims) return false;
    if (a->byteSize().value_or(kLargestCompared + 1) > kLargestCompared) return false;
    const auto bytesOfA = rawBytes(*a), bytesOfB = rawBytes(*b);
    return bytesOfA && bytesOfB && bytesOfA->size == bytesOfB->size &&
           (bytesOfA->size == 0 || std::memcmp(bytesOfA->data, bytesOfB->data, bytesOfA->size) == 0);
}

std::uint64_t hashAttribute(const Attribute& attribute) {
    std::uint64_t hash = hashCombine(hashText(attribute.name), static_cast<std::uint64_t>(attribute.type));
    if (const auto* i = std::get_if<std::int64_t>(&attribute.value))
        hash = hashCombine(hash, hashBytes(i, sizeof *i));
    else if (const auto* f = std::get_if<float>(&attribute.value))
        hash = hashCombine(hash, hashBytes(f, sizeof *f));
    else if (const auto* s = std::get_if<std::string>(&attribute.value))
        hash = hashCombine(hash, hashText(*s));
    else if (const auto* t = std::get_if<TensorPtr>(&attribute.value))
        hash = hashCombine(hash, hashTensor(*t));
    else if (const auto* is = std::get_if<std::vector<std::int64_t>>(&attribute.value))
        hash = hashCombine(hash, hashNumbers(*is));
    else if (const auto* fs = std::get_if<std::vector<float>>(&attribute.value))
        hash = hashCombine(hash, hashNumbers(*fs));
    return hash;
}

bool isEqualAttribute(const Attribute& a, const Attribute& b) {
    if (a.type != b.type || a.reference != b.reference || a.rest != b.rest) return false;
    const auto* tensorOfA = std::get_if<TensorPtr>(&a.value);
    const auto* tensorOfB = std::get_if<TensorPtr>(&b.value);
    if (tensorOfA != nullptr && tensorOfB != nullptr) return isEqualTensor(*tensorOfA, *tensorOfB);
    if (a.type == AttributeType::graph || a.type == AttributeType::graphs)
        return false; // bodies are never repeated here
    return a.value == b.value;
}

bool haveEqualAttributes(const Model& model, NodeId a, NodeId b) {
    const AttributeList &ofA = model.attributes(a), &ofB = model.attributes(b);
    if (&ofA == &ofB) return true;
    if (ofA.size() != ofB.size()) return false;
    return std::all_of(ofA.begin(), ofA.end(), [&](const Attribute& attribute) {
        const Attribute* other = model.attribute(b, attribute.name);
        return other != nullptr && isEqualAttribute(attribute, *other);
    });
}

class Repeats {
  public:
    Repeats(const GraphIndex& index, const GraphIndex::Flags& forward)
        : m_index(index), m_model(index.model()), m_forward(forward) {}

    ValueNumbers run() {
        m_numbers.repeats.assign(m_index.size(), NodeId());
        for (std::size_t i = 0; i < m_model.valueIdCount(); ++i)
            m_numbers.original.push_back(ValueId(i));
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            if (m_forward[at]) m_known[hashOf(at)].push_back(m_index.node(at));
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            if (!m_forward[at]) lookUp(at);
        return std::move(m_numbers);
    }

  private:
    std::uint64_t hashOf(std::uint32_t at) const {
        const Node& node = m_model.node(m_index.node(at));
        std::uint64_t hash = hashCombine(node.op.index, node.domain.index);
        for (const ValueId input : m_index.inputs(at))
            hash = hashCombine(hash, input.isNone() ? ValueId::kNone : m_numbers.original[input.index].index);
        std::uint64_t attributes = 0; // a sum: their order does not matter
        for (const Attribute& attribute : m_model.attributes(m_index.node(at)))
            attributes += hashAttribute(attribute);
        return hashCombine(hash, attributes);
    }

    void lookUp(std::uint32_t at) {
        const auto hit = m_known.find(hashOf(at));
        if (hit == m_known.end()) return;
        const NodeId node = m_index.node(at);
        for (const NodeId other : hit->second) {
            if (!isRepetition(at, other)) continue;
            m_numbers.repeats[at] = other;
            for (std::size_t slot = 0; slot < m_model.outputs(node).size(); ++slot) {
                const ValueId mine = m_model.output(node, slot), theirs = m_model.output(other, slot);
                if (mine && theirs) m_numbers.original[mine.index] = theirs;
            }
            return;
        }
    }

    bool isRepetition(std::uint32_t at, NodeId other) const {
        const NodeId node = m_index.node(at);
        const Node &a = m_model.node(node), &b = m_model.node(other);
        if (a.op != b.op || a.domain != b.domain || a.overload != b.overload) return false;
        const auto mine = m_index.inputs(at), theirs = m_index.inputs(m_index.position(other));
        const auto isSame = [&](ValueId x, ValueId y) {
            return x.isNone() ? y.isNone() : m_numbers.original[x.index] == y;
        };
        return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), isSame) &&
               haveEqualAttributes(m_model, node, other);
    }

    const GraphIndex& m_index;
    const Model& m_model;
    const GraphIndex::Flags& m_forward;
    ValueNumbers m_numbers;
    std::unordered_map<std::uint64_t, std::vector<NodeId>> m_known; ///< forward nodes by hash
};

} // namespace

ValueNumbers findRepeats(const GraphIndex& index, const GraphIndex::Flags& forward) {
    return Repeats(index, forward).run();
}

} // namespace secateur
