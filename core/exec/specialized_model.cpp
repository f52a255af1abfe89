// SPDX-License-Identifier: Apache-2.0
#include "core/exec/specialized_model.h"

#include "core/exec/branch_inlining.h"
#include "core/exec/reference.h"
#include "core/exec/run_order.h"
#include "core/ir/constants.h"
#include "core/ir/editor.h"
#include "core/ir/function_table.h"
#include "core/ir/journal.h"
#include "core/ir/walk.h"
#include "core/onnx/operator_traits.h"

#include <algorithm>
#include <array>
#include <optional>

namespace secateur {
namespace {

constexpr std::uint64_t kLargestFold = std::uint64_t{256} << 20U; // bytes of one result
/// Each round may make shapes known that further Shape nodes wait for.
constexpr int kMostRounds = 32;

/// The sizes of a type where every one is proved.
std::optional<Shape> provenShape(const TypeTable& types, ValueId value) {
    const Type& type = types.type(value);
    if (!type.isTensor() || !type.hasShape || types.isDeclared(value)) return std::nullopt;
    Shape shape;
    for (const Dim& dim : type.dims) {
        if (!dim.value || *dim.value < 0) return std::nullopt;
        shape.push_back(*dim.value);
    }
    return shape;
}

class Folder {
  public:
    Folder(SpecializedModel& result, const MemoryPool& pool, const WorkContext& work)
        : m_result(result), m_model(result.model), m_editor(result.model), m_functions(result.model),
          m_pool(pool), m_work(work) {}

    Result<void> run() {
        for (int round = 0; round < kMostRounds; ++round) {
            const JournalMark before = m_model.journal().mark();
            const GraphSchedule schedule = TRY(scheduleGraph(m_model, m_model.mainGraph()));
            bool isChanged = false;
            for (const GraphSchedule::Entry& entry : schedule.entries) {
                if (m_work.isCancelled()) return cancelled();
                isChanged = foldNode(entry.node) || isChanged;
            }
            if (!isChanged) return {};
            m_result.types.update(m_model, m_model.journal().editsSince(before));
        }
        return {};
    }

  private:
    /// Is what the node gives the same in every run and every run mode?
    [[nodiscard]] bool isSteady(NodeId node) const {
        const OperatorTraits traits = traitsOf(m_model.domain(node), m_model.op(node));
        if (!traits.isKnown || !traits.isPure || traits.isRandom || traits.hasSideEffect) return false;
        static constexpr std::array kByMode{"BatchNormalization", "BatchNormInternal", "Dropout"};
        return std::find(kByMode.begin(), kByMode.end(), m_model.op(node)) == kByMode.end() &&
               m_model.subgraphs(node).empty() && m_functions.calledBy(m_model, node).isNone();
    }

    bool foldNode(NodeId node) {
        if (foldShape(node)) return true;
        if (inlineTakenBranch(m_editor, node)) {
            ++m_result.foldedNodes;
            return true;
        }
        if (!isSteady(node)) return false;
        for (const ValueId result : m_model.outputs(node)) {
            if (result.isNone()) continue;
            const Type& type = m_result.types.type(result);
            if (!type.isTensor() || type.bytes().value_or(0) > kLargestFold) return false;
        }
        std::vector<RuntimeValue> inputs;
        for (const ValueId input : m_model.inputs(node)) {
            RuntimeValue& value = inputs.emplace_back();
            if (input.isNone()) continue;
            const TensorPtr constant = constantOf(m_model, input);
            if (constant == nullptr) return false;
            auto tensor = TensorData::from(m_pool, *constant);
            if (!tensor) return false;
            value = std::move(*tensor);
        }
        // A result of a size that inference does not know ends at the limit as well.
        MemoryPool pool(std::min(m_pool.limitBytes(), kLargestFold));
        const auto outputs = evaluateNode(m_model, node, inputs, pool);
        if (!outputs) return false;
        return replaceResults(node, *outputs);
    }

    /// Shape and Size need no value, only its type.
    bool foldShape(NodeId node) {
        const bool isSize = m_model.isOp(node, "Size");
        if (!isSize && !m_model.isOp(node, "Shape")) return false;
        const auto shape = provenShape(m_result.types, m_model.input(node, 0));
        if (!shape) return false;
        std::vector<std::int64_t> numbers = *shape;
        Shape dims{};
        if (isSize) {
            numbers = {static_cast<std::int64_t>(elementCountOf(*shape).value_or(0))};
        } else {
            const auto rank = static_cast<std::int64_t>(shape->size());
            const auto boundOf = [&](std::string_view name, std::int64_t otherwise) {
                const std::int64_t given = m_model.intAttribute(node, name, otherwise);
                return std::clamp<std::int64_t>(given < 0 ? given + rank : given, 0, rank);
            };
            const std::int64_t start = boundOf("start", 0), end = std::max(boundOf("end", rank), start);
            numbers.assign(shape->begin() + start, shape->begin() + end);
            dims = {end - start};
        }
        const std::span bytes(reinterpret_cast<const std::byte*>(numbers.data()), numbers.size() * 8);
        return replaceBy(node, 0, makeTensor(ElementType::int64, dims, {bytes.begin(), bytes.end()})) &&
               eraseUnread(node);
    }

    bool replaceResults(NodeId node, const std::vector<RuntimeValue>& outputs) {
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (!m_model.output(node, i).isNone() && outputs[i].tensor() == nullptr) return false;
        bool isReplaced = false;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (!m_model.output(node, i).isNone())
                isReplaced = replaceBy(node, i, outputs[i].tensor()->toTensor()) || isReplaced;
        return eraseUnread(node) && isReplaced;
    }

    bool replaceBy(NodeId node, std::size_t slot, TensorPtr tensor) {
        const ValueId result = m_model.output(node, slot);
        // An output stays the result of a node: it keeps its name and its place.
        if (m_model.isGraphOutput(result)) return false;
        if (!m_model.hasUses(result)) return true;
        auto charge = m_pool.charge(tensor->byteSize().value_or(0));
        if (!charge) return false;
        m_result.charges.push_back(std::move(*charge));
        const ValueId constant =
            m_editor.createInitializer(m_model.mainGraph(), m_editor.freshName(m_model.name(result)), tensor);
        return m_editor.replace(result, constant);
    }

    bool eraseUnread(NodeId node) {
        for (const ValueId result : m_model.outputs(node))
            if (!result.isNone() && m_model.hasUses(result)) return false;
        m_editor.eraseNode(node);
        ++m_result.foldedNodes;
        return true;
    }

    SpecializedModel& m_result;
    Model& m_model;
    Editor m_editor;
    FunctionTable m_functions;
    MemoryPool m_pool;
    const WorkContext& m_work;
};

/// Fixes the inputs: types of what is given, defaults of what is not.
void bindInputs(const Model& original, std::span<const RuntimeValue> given, bool isForAnyShape,
                SpecializedModel& result) {
    Editor editor(result.model);
    const GraphId main = result.model.mainGraph();
    const auto parameters = original.graphInputs(main);
    std::vector<ValueId> kept;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const ValueId value = parameters[i];
        const bool isGiven = i < given.size() && !given[i].isAbsent();
        if (!isGiven && original.isInitializer(value)) {
            result.inputs.emplace_back();
            continue;
        }
        result.inputs.push_back(value);
        kept.push_back(value);
        if (!isGiven) continue;
        if (original.isInitializer(value)) editor.setTensor(value, nullptr);
        const TensorData* tensor = given[i].tensor();
        if (tensor == nullptr || isForAnyShape) continue;
        ValueInfo info;
        info.type = Type::tensor(tensor->type(), tensor->shape());
        editor.setInfo(value, std::make_shared<const ValueInfo>(std::move(info)));
    }
    editor.setGraphInputs(main, kept);
}

} // namespace

Result<SpecializedModel> specializeModel(const Model& model, std::span<const RuntimeValue> given,
                                         const MemoryPool& pool, const WorkContext& work,
                                         bool isForAnyShape) {
    SpecializedModel result{model.clone(), {}, {}, 0, {}};
    bindInputs(model, given, isForAnyShape, result);
    result.types.inferAll(result.model);
    TRY(Folder(result, pool, work).run());
    return result;
}

} // namespace secateur
