// SPDX-License-Identifier: Apache-2.0
//
// What two models compute inside, where their outputs say too little.
#include "core/exec/job_compare.h"
#include "core/exec/job_sides.h"
#include "core/exec/narrowed.h"
#include "core/exec/output_movement.h"
#include "core/ir/constants.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace secateur {
namespace {

using Names = std::set<std::string, std::less<>>;

/// Do two attributes say the same? Bodies never do: what runs in them is not looked at.
bool isSame(const Attribute& a, const Attribute& b, MemoryPool& pool) {
    if (a.name != b.name || a.type != b.type || a.reference != b.reference || a.rest != b.rest) return false;
    if (const auto* tensor = std::get_if<TensorPtr>(&a.value)) {
        const auto* twin = std::get_if<TensorPtr>(&b.value);
        if (twin == nullptr || *tensor == nullptr || *twin == nullptr) return false;
        const auto left = TensorData::from(pool, **tensor), right = TensorData::from(pool, **twin);
        return left && right && compareValues(*left, *right, {0, 0}).isSameBits;
    }
    const bool isPlain = !std::holds_alternative<GraphId>(a.value) &&
                         !std::holds_alternative<std::vector<GraphId>>(a.value) &&
                         !std::holds_alternative<std::vector<TensorPtr>>(a.value);
    return isPlain && a.value == b.value;
}

/// Compares how two models come to an output from values that move with the inputs and agree.
class LastStretch {
  public:
    LastStretch(const Model& first, const Model& second, const Names& moved, MemoryPool& pool)
        : m_first(first), m_second(second), m_moved(moved), m_pool(pool) {}

    /// Is it the same way, and is there such a value at its beginning?
    bool isSameWay(ValueId first, ValueId second) {
        if (first.isNone() || second.isNone()) return false;
        bool doesMove = false;
        std::vector<std::pair<ValueId, ValueId>> open{{first, second}};
        std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
        while (!open.empty()) {
            const auto [a, b] = open.back();
            open.pop_back();
            if (a.isNone() != b.isNone()) return false;
            if (a.isNone() || !seen.emplace(a.index, b.index).second) continue;
            if (isWitness(a, b)) {
                doesMove = true;
                continue;
            }
            if (areSameConstants(a, b)) continue;
            const NodeId left = m_first.producer(a), right = m_second.producer(b);
            if (left.isNone() || right.isNone() || !areTwins(left, right)) return false;
            for (std::size_t i = 0; i < m_second.inputs(right).size(); ++i)
                open.emplace_back(m_first.input(left, i), m_second.input(right, i));
        }
        return doesMove;
    }

  private:
    [[nodiscard]] bool isWitness(ValueId a, ValueId b) const {
        if (m_first.name(a) != m_second.name(b)) return false;
        const bool areInputs = m_first.isGraphInput(a) && m_second.isGraphInput(b) &&
                               !m_first.isInitializer(a) && !m_second.isInitializer(b);
        return areInputs || m_moved.contains(m_second.name(b));
    }

    [[nodiscard]] bool areSameConstants(ValueId a, ValueId b) const {
        const TensorPtr left = constantOf(m_first, a), right = constantOf(m_second, b);
        if (left == nullptr || right == nullptr) return false;
        const auto x = TensorData::from(m_pool, *left), y = TensorData::from(m_pool, *right);
        return x && y && compareValues(*x, *y, {0, 0}).isSameBits;
    }

    [[nodiscard]] bool areTwins(NodeId left, NodeId right) const {
        if (m_first.op(left) != m_second.op(right) || m_first.domain(left) != m_second.domain(right))
            return false;
        const AttributeList &a = m_first.attributes(left), &b = m_second.attributes(right);
        return m_first.inputs(left).size() == m_second.inputs(right).size() && a.size() == b.size() &&
               std::equal(a.begin(), a.end(), b.begin(),
                          [&](const Attribute& x, const Attribute& y) { return isSame(x, y, m_pool); });
    }

    const Model& m_first;
    const Model& m_second;
    const Names& m_moved;
    MemoryPool& m_pool;
};

} // namespace

Result<Witnesses> findWitnesses(const Job& job, const MemoryPool& pool,
                                const std::vector<std::string>& outputs,
                                const std::vector<std::pair<std::string, std::string>>& still,
                                const std::vector<RuntimeValue>& inputs, const RanSet& set,
                                const RanSet& other, const WorkContext& work) {
    JobModel second = TRY(JobModel::load(job, 1));
    TRY(narrowToNames(second, outputs, job.device));
    // Of the main graph alone, where a name comes once.
    std::unordered_map<std::string, RuntimeValue> expected;
    std::unordered_map<std::string, std::uint64_t> elsewhere; // on `other`, in short
    bool isOther = false;
    const auto keep = [&](const Model& model, NodeId node, std::span<const RuntimeValue> results) {
        if (model.node(node).graph != model.mainGraph()) return;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const std::string name = resultName(model, node, i);
            if (name.empty()) continue;
            if (isOther)
                elsewhere[name] = OutputMovement::digestOf(results[i]);
            else
                expected[name] = results[i];
        }
    };
    TRY(second.start(job, 1, pool, keep));
    TRY(second.backend->run({inputsInOrder(second.model(), set)}, work));
    isOther = true;
    TRY(second.backend->run({inputsInOrder(second.model(), other)}, work));
    Witnesses found;
    Names moved;
    bool isAnyApart = false;
    const auto look = [&](const Model& model, NodeId node, std::span<const RuntimeValue> results) {
        if (model.node(node).graph != model.mainGraph()) return;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const std::string name = resultName(model, node, i);
            const auto at = expected.find(name);
            if (name.empty() || at == expected.end()) continue;
            const ValueDifference difference = compareValues(results[i], at->second, job.tolerance);
            isAnyApart = isAnyApart || !difference.isWithin;
            if (difference.telling == 0) continue;
            ++found.compared;
            if (elsewhere[name] == OutputMovement::digestOf(at->second)) continue;
            ++found.moved;
            moved.insert(name);
        }
    };
    JobModel first = TRY(JobModel::load(job, 0));
    TRY(first.start(job, 0, pool, look));
    TRY(first.backend->run({inputs}, work));
    if (isAnyApart) return Witnesses();
    MemoryPool own = pool.sibling();
    LastStretch stretch(first.model(), second.model(), moved, own);
    for (const auto& [ofFirst, ofSecond] : still)
        if (!stretch.isSameWay(valueNamed(first.model(), ofFirst), valueNamed(second.model(), ofSecond)))
            return Witnesses();
    return found;
}

} // namespace secateur
