// SPDX-License-Identifier: Apache-2.0
// A node that reads constants alone is computed ahead of time, by the reference kernels: the same bytes on
// every machine.
//   y = Op(constants)  =>  y = constant
// Exact for what moves elements, integers, comparisons, casts and the operations that IEEE 754 rounds
// correctly; else the last bit may differ from what another runtime computes.
#include "core/exec/cells.h"
#include "core/exec/reference.h"
#include "core/ir/constants.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <array>

namespace secateur {
namespace {

/// Memory that one node may take while it is folded.
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 30U;
/// Operations that one node may take: a second or so of the reference kernels.
constexpr double kMostFlops = 1e9;

constexpr std::array<std::string_view, 31> kRounded{
    "Abs", "Add",    "Cast",      "CastLike", "Ceil",   "Clip",     "Concat", "Constant", "ConstantOfShape",
    "Div", "Expand", "Flatten",   "Floor",    "Gather", "Identity", "Max",    "Min",      "Mul",
    "Neg", "Pad",    "Relu",      "Reshape",  "Sign",   "Slice",    "Split",  "Sqrt",     "Squeeze",
    "Sub", "Tile",   "Transpose", "Unsqueeze"};
constexpr std::array<std::string_view, 11> kMoved{
    "DepthToSpace",    "EyeLike",      "GatherElements", "GatherND", "NonZero", "OneHot",
    "ReverseSequence", "SpaceToDepth", "Trilu",          "Where",    "Shape"};

bool isOneOf(std::span<const std::string_view> list, std::string_view op) {
    return std::find(list.begin(), list.end(), op) != list.end();
}

/// Operators on floating point whose results are truths or integers that nothing is rounded for.
constexpr std::array<std::string_view, 7> kCompared{"Equal", "Greater", "GreaterOrEqual", "IsInf",
                                                    "IsNaN", "Less",    "LessOrEqual"};

/// Does every correct implementation give these bits?
bool isSettled(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    const std::string_view op = model.op(node);
    if (op == "ScatterElements" || op == "ScatterND") { // sums depend on the order of equal indices
        if (model.stringAttribute(node, "reduction", "none") == "none") return true;
    }
    const bool makesText = view.element(model.output(node, 0)) == ElementType::string;
    const bool isListed = isOneOf(kRounded, op) || isOneOf(kMoved, op) || isOneOf(kCompared, op);
    if (isListed && !(op == "Cast" && makesText)) return true;
    const auto isWhole = [&](ValueId value) {
        return value.isNone() || !isFloating(view.constant(value)->type);
    };
    const auto inputs = model.inputs(node);
    const bool readsWhole = std::all_of(inputs.begin(), inputs.end(), isWhole);
    const auto results = model.outputs(node);
    return readsWhole && std::all_of(results.begin(), results.end(), [&](ValueId result) {
               return result.isNone() ||
                      (view.element(result) != ElementType::undefined && !isFloating(view.element(result)));
           });
}

std::uint64_t bytesOf(const Tensor& tensor) {
    if (tensor.encoding == Tensor::Encoding::strings) {
        std::uint64_t sum = 0;
        for (const std::string& text : tensor.strings)
            sum += text.size() + 2;
        return sum;
    }
    return tensor.byteSize().value_or(UINT64_MAX / 4);
}

/// Bytes of constants that nothing but `node` reads.
std::uint64_t bytesFreed(const RuleView& view, NodeId node) {
    std::uint64_t sum = 0;
    for (const ValueId input : view.model().inputs(node)) {
        if (input.isNone() || !view.isReadOnce(input)) continue;
        if (const TensorPtr tensor = view.constant(input)) sum += bytesOf(*tensor);
    }
    return sum;
}

/// Bytes that the results will have, as far as their types say; none where they do not.
std::optional<std::uint64_t> bytesMade(const RuleView& view, NodeId node) {
    std::uint64_t sum = 0;
    for (const ValueId result : view.model().outputs(node)) {
        if (result.isNone()) continue;
        const auto bytes = view.type(result).bytes();
        if (!bytes) return std::nullopt;
        sum += *bytes;
    }
    return sum;
}

Result<std::vector<TensorPtr>> evaluate(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    MemoryPool pool(kMostMemory);
    std::vector<RuntimeValue> inputs;
    for (const ValueId input : model.inputs(node)) {
        RuntimeValue& value = inputs.emplace_back();
        if (!input.isNone()) value = TRY(TensorData::from(pool, *view.constant(input)));
    }
    const auto results = TRY(evaluateNode(model, node, inputs, pool));
    std::vector<TensorPtr> tensors;
    for (const RuntimeValue& result : results)
        tensors.push_back(result.tensor() == nullptr ? nullptr : result.tensor()->toTensor());
    return tensors;
}

/// What can be said of a fold before it is computed.
struct Fold {
    NodeId root;
    std::uint64_t mostBytes = 0;
    bool isSized = false;    ///< the size of the results was known, and judged
    bool isConstant = false; ///< a Constant node: nothing is computed
};

/// The results by slot; null for one that is no tensor.
Result<std::vector<TensorPtr>> resultsOf(const RuleView& view, const Fold& fold) {
    if (!fold.isConstant) return evaluate(view, fold.root);
    return std::vector<TensorPtr>{constantOf(view.model(), view.model().output(fold.root, 0))};
}

Refusal apply(const RuleView& view, const Fold& fold, RuleEdit& edit) {
    const Model& model = view.model();
    const auto tensors = resultsOf(view, fold);
    if (!tensors) return Reason("rule.fold-constants.refused.failed", {fold.root, tensors.error().message});
    std::uint64_t bytes = 0;
    for (std::size_t slot = 0; slot < tensors->size(); ++slot) {
        if (model.output(fold.root, slot).isNone()) continue;
        if (!(*tensors)[slot]) return Reason("rule.fold-constants.refused.no-tensor", {fold.root});
        bytes += bytesOf(*(*tensors)[slot]);
    }
    if (!fold.isSized && bytes > fold.mostBytes)
        return Reason("rule.fold-constants.refused.size", {fold.root, static_cast<std::int64_t>(bytes),
                                                           static_cast<std::int64_t>(fold.mostBytes)});
    for (std::size_t slot = 0; slot < tensors->size(); ++slot) {
        const ValueId result = model.output(fold.root, slot);
        if (result.isNone() || !model.hasUses(result)) continue;
        if (Refusal why = edit.readInstead(edit.constant((*tensors)[slot]), slot)) return why;
    }
    return kDone;
}

/// Is it a node that always gives the same, and may an initializer say so in its place?
bool isFoldable(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    if (model.outputs(root).empty() || !model.subgraphs(root).empty()) return false;
    // An Identity that has to stay gives an output of a body its name.
    if (model.isOp(root, "Identity")) return false;
    for (const ValueId input : model.inputs(root)) {
        if (!input.isNone() && !view.constant(input)) return false;
    }
    if (!model.isOp(root, "Constant")) return view.isPure(root);
    // Constants stay where initializers cannot be: in functions, and where the format wants them as inputs.
    return model.header().irVersion >= 4 && enclosingFunction(model, model.node(root).graph).isNone() &&
           view.constant(model.output(root, 0));
}

MatchResult match(const RuleView& view, NodeId root) {
    SECATEUR_PATTERN(isFoldable(view, root));
    Fold fold{root, view.limits().bytesLeft + bytesFreed(view, root), true,
              view.model().isOp(root, "Constant")};
    const auto made = fold.isConstant ? std::optional<std::uint64_t>(0) : bytesMade(view, root);
    fold.isSized = made.has_value(); // else it is computed first and judged then
    SECATEUR_GUARD(view, !made || *made <= fold.mostBytes, "rule.fold-constants.miss.size", root,
                   static_cast<std::int64_t>(made.value_or(0)), static_cast<std::int64_t>(fold.mostBytes));
    SECATEUR_NEAR(view.flops(root).value_or(0) <= kMostFlops, "rule.fold-constants.near.work", root);
    const bool isExact = fold.isConstant || isSettled(view, root);
    Reason why("rule.fold-constants.why", {root});
    if (fold.isConstant) why.id = "rule.fold-constants.why-constant";
    return RuleHit{{root},
                   std::move(why),
                   isExact ? Exactness::exact : Exactness::value,
                   [&view, fold](RuleEdit& edit) { return apply(view, fold, edit); }};
}

} // namespace

const Rule& foldConstantsRule() {
    static const Rule rule{"fold-constants", RuleGroup::folding, Exactness::value, {}, match};
    return rule;
}

} // namespace secateur
