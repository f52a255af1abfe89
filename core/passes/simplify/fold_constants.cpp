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
#include <cmath>

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

constexpr std::size_t kMostNumbers = std::size_t{1} << 24U;

/// Numbers of a constant operand; empty where there is none, or too many.
std::vector<double> numbersOf(const RuleView& view, NodeId node, std::size_t slot) {
    const TensorPtr tensor = view.constant(view.model().input(node, slot));
    return tensor ? asDoubles(*tensor, kMostNumbers).value_or(std::vector<double>()) : std::vector<double>();
}

/// Does a Max, Min, Clip or Relu meet a negative zero? Of zeros of either sign each may come out.
bool meetsNegativeZero(const RuleView& view, NodeId node) {
    const std::string_view op = view.model().op(node);
    if (op != "Max" && op != "Min" && op != "Clip" && op != "Relu") return false;
    for (std::size_t slot = 0; slot < view.model().inputs(node).size(); ++slot) {
        if (!view.isFloat(view.model().input(node, slot))) continue;
        for (const double x : numbersOf(view, node, slot)) {
            if (x == 0 && std::signbit(x)) return true;
        }
    }
    return false;
}

/// Is a Clip without one of its bounds, which is the last finite number then, given an infinity? Runtimes
/// differ.
bool clipsInfinity(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    if (!model.isOp(node, "Clip") || !view.isFloat(model.input(node, 0))) return false;
    const auto has = [&](const char* name, std::size_t slot) {
        return model.attribute(node, name) != nullptr || !model.input(node, slot).isNone();
    };
    if (has("min", 1) && has("max", 2)) return false;
    const std::vector<double> numbers = numbersOf(view, node, 0);
    return std::any_of(numbers.begin(), numbers.end(), [](double x) { return std::isinf(x); });
}

/// Highest magnitude that every number of the integer type has in both directions, as a power of two.
double reachOf(ElementType type, bool isNegative) {
    const auto bits = static_cast<int>(elementBits(type));
    switch (type) {
    case ElementType::uint8:
    case ElementType::uint16:
    case ElementType::uint32:
    case ElementType::uint64: return isNegative ? 0 : std::ldexp(1.0, bits);
    default: return std::ldexp(1.0, bits - 1);
    }
}

/// Do the integers of the result hold what is computed? Beyond them, machines differ: a cast of NaN or of a
/// large number, a power or product that overflows.
bool fitsIntegers(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    const std::string_view op = model.op(node);
    const ElementType made = view.element(model.output(node, 0));
    if (!view.isInteger(model.output(node, 0))) return true;
    const std::vector<double> data = numbersOf(view, node, 0);
    const double most = reachOf(made, false), least = reachOf(made, true);
    if ((op == "Cast" || op == "CastLike") && !view.isInteger(model.input(node, 0))) {
        // What is too much to look at is not known to fit; text has rules of its own.
        const TensorPtr tensor = view.constant(model.input(node, 0));
        if (data.empty() && isFloating(tensor->type)) return tensor->elementCount() == 0U;
        return std::all_of(data.begin(), data.end(), [&](double x) {
            return x < most && (least == 0 ? x > -1 : std::trunc(x) >= -least);
        });
    }
    if (op == "Pow") {
        const std::vector<double> powers = numbersOf(view, node, 1);
        const auto isLarger = [](double a, double b) { return std::abs(a) < std::abs(b); };
        if (data.empty() || powers.empty()) return true;
        const double base = std::abs(*std::max_element(data.begin(), data.end(), isLarger));
        const double power = *std::max_element(powers.begin(), powers.end());
        const bool isWhole = *std::min_element(powers.begin(), powers.end()) >= 0;
        return isWhole && std::pow(std::max(base, 1.0), power) < most;
    }
    if (op == "ReduceProd") {
        double product = 1;
        for (const double x : data)
            product *= std::max(std::abs(x), 1.0);
        return product < most;
    }
    return true;
}

/// Does every correct implementation give these bits?
bool isSettled(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    const std::string_view op = model.op(node);
    if (meetsNegativeZero(view, node)) return false;
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
    const std::uint64_t left = view.limits().bytesLeft, freed = bytesFreed(view, root);
    Fold fold{root, left > UINT64_MAX - freed ? UINT64_MAX : left + freed, true,
              view.model().isOp(root, "Constant")};
    const auto made = fold.isConstant ? std::optional<std::uint64_t>(0) : bytesMade(view, root);
    fold.isSized = made.has_value(); // else it is computed first and judged then
    SECATEUR_NEAR(!made || *made <= fold.mostBytes, "rule.fold-constants.near.size", root,
                  static_cast<std::int64_t>(made.value_or(0)), static_cast<std::int64_t>(fold.mostBytes));
    SECATEUR_NEAR(view.flops(root).value_or(0) <= kMostFlops, "rule.fold-constants.near.work", root);
    SECATEUR_GUARD(view, fold.isConstant || fitsIntegers(view, root), "rule.fold-constants.miss.integers",
                   root);
    SECATEUR_GUARD(view, !clipsInfinity(view, root), "rule.fold-constants.miss.infinity", root);
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
