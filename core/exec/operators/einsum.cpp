// SPDX-License-Identifier: Apache-2.0
//
// ONNX Einsum: any number of operands, repeated letters (diagonals), an ellipsis that broadcasts, explicit or
// implicit result. Sums in double for floats.
#include "core/exec/broadcast.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <type_traits>

namespace secateur {
namespace {

/// Dimensions of an ellipsis get letters of their own: 0, 1, ... counted from its last.
constexpr int kEllipsisBase = 1000;

/// The letters of one operand or of the result, one a dimension.
using Letters = std::vector<int>;

struct Equation {
    std::vector<Letters> operands;
    Letters result;
    std::map<int, std::int64_t> dims; ///< of each letter
};

/// Letters of a term of `rank` dimensions; none where they do not fit it.
std::optional<Letters> lettersOf(std::string_view term, std::size_t rank) {
    Letters letters;
    const std::size_t dots = term.find("...");
    const std::size_t named = static_cast<std::size_t>(
        std::count_if(term.begin(), term.end(), [](unsigned char c) { return std::isalpha(c) != 0; }));
    if (named > rank || (dots == std::string_view::npos && named != rank)) return std::nullopt;
    for (std::size_t i = 0; i < term.size(); ++i) {
        if (i == dots) {
            for (std::size_t k = rank - named; k-- > 0;)
                letters.push_back(kEllipsisBase + static_cast<int>(k));
            i += 2;
        } else if (std::isalpha(static_cast<unsigned char>(term[i])) != 0) {
            letters.push_back(term[i]);
        } else {
            return std::nullopt;
        }
    }
    return letters;
}

/// Without an arrow the result has the ellipsis, then the letters that occur once, in order.
Letters implicitResult(const Equation& equation) {
    std::map<int, int> counts;
    for (const Letters& operand : equation.operands) {
        for (const int letter : operand)
            ++counts[letter];
    }
    Letters result;
    for (auto at = counts.rbegin(); at != counts.rend(); ++at) {
        if (at->first >= kEllipsisBase) result.push_back(at->first);
    }
    for (const auto& [letter, count] : counts) {
        if (letter < kEllipsisBase && count == 1) result.push_back(letter);
    }
    return result;
}

Result<Equation> parse(const KernelCall& call, const std::vector<const TensorData*>& operands) {
    std::string text(call.text("equation", ""));
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    const auto bad = [&] { return call.fail("exec.bad-attribute", {"equation", text}); };
    const std::size_t arrow = text.find("->");
    std::string_view left = std::string_view(text).substr(0, arrow);
    Equation equation;
    std::size_t ellipsis = 0;
    for (const TensorData* operand : operands) {
        const std::size_t comma = left.find(',');
        const auto letters = lettersOf(left.substr(0, comma), operand->rank());
        if (!letters) return bad();
        for (std::size_t d = 0; d < letters->size(); ++d) {
            if ((*letters)[d] >= kEllipsisBase)
                ellipsis = std::max(ellipsis, static_cast<std::size_t>((*letters)[d] - kEllipsisBase + 1));
            std::int64_t& dim = equation.dims.try_emplace((*letters)[d], 1).first->second;
            const std::int64_t own = operand->shape()[d];
            if (dim == 1)
                dim = own;
            else if (own != 1 && own != dim)
                return call.fail("exec.shapes-differ", {shapeText(operand->shape()), std::to_string(dim)});
        }
        equation.operands.push_back(*letters);
        left = comma == std::string_view::npos ? std::string_view() : left.substr(comma + 1);
    }
    if (!left.empty()) return bad();
    if (arrow == std::string::npos) {
        equation.result = implicitResult(equation);
        return equation;
    }
    const std::string_view right = std::string_view(text).substr(arrow + 2);
    const auto named = static_cast<std::size_t>(
        std::count_if(right.begin(), right.end(), [](unsigned char c) { return std::isalpha(c) != 0; }));
    const auto result =
        lettersOf(right, named + (right.find("...") == std::string_view::npos ? 0 : ellipsis));
    if (!result) return bad();
    for (const int letter : *result) {
        const bool isOnce = std::count(result->begin(), result->end(), letter) == 1;
        if (!isOnce || !equation.dims.contains(letter)) return bad();
    }
    equation.result = *result;
    return equation;
}

/// The letters in the order in which they are looped over, those of the result first, and how each operand
/// moves.
struct Loops {
    Shape dims;
    std::vector<Shape> strides; ///< of each operand, by loop
    std::size_t resultLoops = 0;
};

Loops loopsOf(const Equation& equation, const std::vector<const TensorData*>& operands) {
    Letters order = equation.result;
    for (const auto& [letter, dim] : equation.dims) {
        if (std::find(order.begin(), order.end(), letter) == order.end()) order.push_back(letter);
    }
    Loops loops;
    loops.resultLoops = equation.result.size();
    for (const int letter : order)
        loops.dims.push_back(equation.dims.at(letter));
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const Shape own = stridesOf(operands[k]->shape());
        Shape strides(order.size(), 0);
        for (std::size_t d = 0; d < own.size(); ++d) {
            const auto at = static_cast<std::size_t>(
                std::find(order.begin(), order.end(), equation.operands[k][d]) - order.begin());
            if (operands[k]->shape()[d] != 1) strides[at] += own[d];
        }
        loops.strides.push_back(std::move(strides));
    }
    return loops;
}

template <typename C>
void contract(const Loops& loops, const std::vector<const TensorData*>& operands, TensorData& y) {
    using Sum = std::conditional_t<std::is_floating_point_v<C>, double, C>;
    std::vector<std::vector<C>> cells;
    for (const TensorData* operand : operands)
        cells.push_back(readAll<C>(*operand));
    std::vector<Sum> sums(static_cast<std::size_t>(y.count()));
    const auto total = elementCountOf(loops.dims).value_or(0);
    const std::size_t inner = sums.empty() ? 0 : static_cast<std::size_t>(total) / sums.size();
    std::vector<std::int64_t> index(loops.dims.size(), 0), at(operands.size(), 0);
    for (std::uint64_t i = 0; i < total; ++i) {
        Sum product{1};
        for (std::size_t k = 0; k < cells.size(); ++k)
            product *= static_cast<Sum>(cells[k][static_cast<std::size_t>(at[k])]);
        sums[static_cast<std::size_t>(i) / inner] += product;
        for (std::size_t d = loops.dims.size(); d-- > 0;) {
            for (std::size_t k = 0; k < at.size(); ++k)
                at[k] += loops.strides[k][d];
            if (++index[d] < loops.dims[d]) break;
            for (std::size_t k = 0; k < at.size(); ++k)
                at[k] -= loops.strides[k][d] * loops.dims[d];
            index[d] = 0;
        }
    }
    writeAll(y, std::vector<C>(sums.begin(), sums.end()));
}

Result<void> runEinsum(const KernelCall& call) {
    std::vector<const TensorData*> operands;
    for (std::size_t slot = 0; slot < call.inputs.size(); ++slot)
        operands.push_back(TRY(call.tensor(slot)));
    if (operands.empty()) return call.fail("exec.needs-tensor", {"0", "nothing"});
    for (const TensorData* operand : operands) {
        if (operand->type() != operands.front()->type())
            return call.fail("exec.types-differ",
                             {elementTypeName(operands.front()->type()), elementTypeName(operand->type())});
    }
    const Equation equation = TRY(parse(call, operands));
    Shape shape;
    for (const int letter : equation.result)
        shape.push_back(equation.dims.at(letter));
    TensorData y = TRY(call.make(operands.front()->type(), std::move(shape)));
    const Loops loops = loopsOf(equation, operands);
    if (!elementCountOf(loops.dims)) return call.fail("exec.bad-shape", {shapeText(loops.dims)});
    TRY(withComputeType(
        y.type(),
        [&]<typename C>(C) -> Result<void> {
            contract<C>(loops, operands, y);
            return {};
        },
        [&]() -> Result<void> { return call.noCodeFor(y.type()); }));
    call.setOutput(0, std::move(y));
    return {};
}

constexpr KernelEntry kEinsum[] = {{"", "Einsum", 12, &runEinsum}};

} // namespace

std::span<const KernelEntry> einsumKernels() {
    return kEinsum;
}

} // namespace secateur
