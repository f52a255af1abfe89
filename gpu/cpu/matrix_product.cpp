// SPDX-License-Identifier: Apache-2.0
//
// ONNX MatMul and Gemm by oneDNN; constant right operands are kept in the order that it likes.
#include "gpu/cpu/factories.h"
#include "gpu/cpu/layouts.h"
#include "gpu/cpu/onednn_kernel.h"

#include <algorithm>

namespace secateur {
namespace {

using dnnl::memory;
using Step = std::optional<PreparedStep>;

/// A product with all its descriptions; `bias` has no dimensions where there is none.
struct Product {
    memory::desc left, right, result, bias;
    bool hasBias = false;
};

memory::desc plain(const memory::dims& dims) {
    return descOf(dims, kPlainLayout);
}

/// Rows and columns swapped in memory.
memory::desc transposed(const memory::dims& dims) {
    return {dims, memory::data_type::f32, memory::format_tag::ba};
}

Step productStep(const NodeFacts& facts, const Product& product, const TensorData* rightContents) {
    memory::desc right = product.right;
    if (rightContents != nullptr)
        right = {product.right.dims(), memory::data_type::f32, memory::format_tag::any};
    const auto descriptor = product.hasBias
                                ? dnnl::matmul::desc(product.left, right, product.bias, product.result)
                                : dnnl::matmul::desc(product.left, right, product.result);
    const dnnl::matmul::primitive_desc desc(descriptor, userScratchpad(), cpuEngine());
    auto kernel = std::make_unique<OnednnKernel>(dnnl::matmul(desc));
    StepRequest request = plainRequest(facts);
    kernel->takesInput(DNNL_ARG_SRC, 0, desc.src_desc());
    kernel->givesOutput(DNNL_ARG_DST, 0, desc.dst_desc());
    kernel->usesWorkspace(desc.scratchpad_desc());
    if (rightContents != nullptr) {
        kernel->holds(DNNL_ARG_WEIGHTS, reordered(rightContents->data(), product.right, desc.weights_desc()));
        request.inputs[1] = kHeldByStep;
    } else {
        kernel->takesInput(DNNL_ARG_WEIGHTS, 1, desc.weights_desc());
    }
    if (product.hasBias) kernel->takesInput(DNNL_ARG_BIAS, 2, product.bias);
    request.workspaceBytes = desc.scratchpad_desc().get_size();
    return PreparedStep{std::move(kernel), std::move(request), PreparedStep::Origin::onednn};
}

Step matMul(const NodeFacts& facts) {
    if (facts.inputs.size() != 2 || !facts.isAllFloat() || !facts.wants(0)) return std::nullopt;
    Shape a = facts.inputs[0].shape, b = facts.inputs[1].shape, y = facts.outputs[0].shape;
    if (a.size() < 2 || b.size() < 2 || y.size() != std::max(a.size(), b.size()) || y.size() > 6)
        return std::nullopt;
    const std::int64_t inner = a.back();
    if (inner != b[b.size() - 2]) return std::nullopt;
    if (b.size() == 2) { // all rows in one product
        const std::int64_t rows = facts.inputs[0].count() / inner;
        a = {rows, inner};
        y = {rows, b[1]};
    }
    a.insert(a.begin(), y.size() - a.size(), 1);
    b.insert(b.begin(), y.size() - b.size(), 1);
    const TensorData* contents = b.size() == 2 ? facts.inputs[1].constant : nullptr;
    return productStep(facts, {plain(a), plain(b), plain(y), {}, false}, contents);
}

Step gemm(const NodeFacts& facts) {
    const bool hasBias = facts.has(2);
    if (facts.inputs.size() < 2 || !facts.isAllFloat() || !facts.wants(0) ||
        facts.call.real("alpha", 1) != 1.0F || (hasBias && facts.call.real("beta", 1) != 1.0F))
        return std::nullopt;
    const bool isLeftSwapped = facts.call.integer("transA", 0) != 0,
               isRightSwapped = facts.call.integer("transB", 0) != 0;
    memory::dims a(facts.inputs[0].shape), b(facts.inputs[1].shape);
    const memory::dims y(facts.outputs[0].shape);
    if (a.size() != 2 || b.size() != 2 || y.size() != 2) return std::nullopt;
    if (isLeftSwapped) std::swap(a[0], a[1]);
    if (isRightSwapped) std::swap(b[0], b[1]);
    if (a[1] != b[0] || y != memory::dims{a[0], b[1]}) return std::nullopt;
    Product product{isLeftSwapped ? transposed(a) : plain(a),
                    isRightSwapped ? transposed(b) : plain(b),
                    plain(y),
                    {},
                    hasBias};
    if (hasBias) {
        const std::int64_t cells = facts.inputs[2].count();
        const Shape& c = facts.inputs[2].shape;
        const bool isRow = cells == y[1] && (c.empty() || c.back() == y[1]);
        if (!isRow || (c.size() == 2 && c[0] != 1)) return std::nullopt;
        product.bias = plain({1, y[1]});
    }
    return productStep(facts, product, facts.inputs[1].constant);
}

constexpr FactoryEntry kMatrices[] = {{"Gemm", &gemm}, {"MatMul", &matMul}};

} // namespace

std::span<const FactoryEntry> matrixFactories() {
    return kMatrices;
}

} // namespace secateur
