// SPDX-License-Identifier: Apache-2.0
//
// ONNX Conv and ConvTranspose by oneDNN: 1 to 3 spatial dimensions, groups, strides, dilations, bias. Weights
// are brought into the order that oneDNN likes once, and operands and results take the layouts that it asks
// for.
#include "core/exec/windows.h"
#include "gpu/cpu/factories.h"
#include "gpu/cpu/layouts.h"
#include "gpu/cpu/onednn_kernel.h"
#include "gpu/cpu/row_filter.h"

#include <algorithm>

namespace secateur {
namespace {

using dnnl::memory;
using Step = std::optional<PreparedStep>;
using Desc = dnnl::convolution_forward::primitive_desc;

struct Geometry {
    memory::dims weights; ///< with a dimension for the groups where there are several
    memory::dims strides, dilations, before, behind;
};

memory::dims lessOne(const Shape& shape) {
    memory::dims dims(shape);
    for (auto& dim : dims)
        --dim; // oneDNN counts the elements between those that are met
    return dims;
}

std::optional<Geometry> geometryOf(const NodeFacts& facts) {
    const Shape &x = facts.inputs[0].shape, &w = facts.inputs[1].shape;
    const std::int64_t groups = facts.call.integer("group", 1);
    if (x.size() < 3 || x.size() > 5 || w.size() != x.size() || groups < 1 || w[0] % groups != 0 ||
        x[1] != w[1] * groups)
        return std::nullopt;
    const auto window = windowOf(facts.call, x, Shape(w.begin() + 2, w.end()));
    if (!window) return std::nullopt;
    const auto isNegative = [](std::int64_t n) { return n < 0; };
    if (std::any_of(window->before.begin(), window->before.end(), isNegative) ||
        std::any_of(window->behind.begin(), window->behind.end(), isNegative))
        return std::nullopt;
    Shape result{x[0], w[0]};
    result.insert(result.end(), window->output.begin(), window->output.end());
    if (result != facts.outputs[0].shape) return std::nullopt;
    Geometry geometry;
    geometry.weights.assign(w.begin(), w.end());
    if (groups > 1) {
        geometry.weights[0] /= groups;
        geometry.weights.insert(geometry.weights.begin(), groups);
    }
    geometry.strides.assign(window->strides.begin(), window->strides.end());
    geometry.dilations = lessOne(window->dilations);
    geometry.before.assign(window->before.begin(), window->before.end());
    geometry.behind.assign(window->behind.begin(), window->behind.end());
    return geometry;
}

memory::desc anyDesc(const memory::dims& dims) {
    return {dims, memory::data_type::f32, memory::format_tag::any};
}

class Builder {
  public:
    Builder(const NodeFacts& facts, const Geometry& geometry)
        : m_facts(facts), m_geometry(geometry), m_plainWeights(descOf(geometry.weights, kPlainLayout)),
          m_isConstant(facts.inputs[1].constant != nullptr) {}

    Step build() {
        const Shape &x = m_facts.inputs[0].shape, &y = m_facts.outputs[0].shape;
        Desc desc = descFor(anyDesc(x), anyDesc(y));
        auto from = layoutOf(desc.src_desc(), x), to = layoutOf(desc.dst_desc(), y);
        if (!from || !to) { // an order that has no number: plain is always there
            desc = descFor(descOf(x, kPlainLayout), descOf(y, kPlainLayout));
            from = to = kPlainLayout;
        }
        auto kernel = std::make_unique<OnednnKernel>(dnnl::convolution_forward(desc));
        StepRequest request = plainRequest(m_facts);
        kernel->takesInput(DNNL_ARG_SRC, 0, desc.src_desc());
        kernel->givesOutput(DNNL_ARG_DST, 0, desc.dst_desc());
        kernel->usesWorkspace(desc.scratchpad_desc());
        if (m_isConstant) {
            kernel->holds(DNNL_ARG_WEIGHTS,
                          reordered(m_facts.inputs[1].constant->data(), m_plainWeights, desc.weights_desc()));
            request.inputs[1] = kHeldByStep;
        } else {
            kernel->takesInput(DNNL_ARG_WEIGHTS, 1, desc.weights_desc());
        }
        if (m_facts.has(2)) kernel->takesInput(DNNL_ARG_BIAS, 2, desc.bias_desc());
        request.inputs[0] = canonical(x, *from);
        request.outputs[0] = {canonical(y, *to), layoutBytes(y, *to), {}};
        request.workspaceBytes = desc.scratchpad_desc().get_size();
        return PreparedStep{std::move(kernel), std::move(request), PreparedStep::Origin::onednn};
    }

  private:
    /// What the kernel does besides: scratch from us, and an activation that a plan took into the node.
    [[nodiscard]] dnnl::primitive_attr attributes() const {
        dnnl::primitive_attr wanted = userScratchpad();
        if (m_facts.call.text("activation", "").empty()) return wanted;
        dnnl::post_ops behind;
        behind.append_eltwise(1, dnnl::algorithm::eltwise_hardswish, 0, 0);
        wanted.set_post_ops(behind);
        return wanted;
    }

    [[nodiscard]] Desc descFor(const memory::desc& x, const memory::desc& y) const {
        const auto kind = dnnl::prop_kind::forward_inference;
        const auto algorithm = dnnl::algorithm::convolution_direct;
        const memory::desc w = m_isConstant ? anyDesc(m_geometry.weights) : m_plainWeights;
        const Geometry& g = m_geometry;
        if (m_facts.has(2)) {
            const memory::desc bias = descOf(m_facts.inputs[2].shape, kPlainLayout);
            return {{kind, algorithm, x, w, bias, y, g.strides, g.dilations, g.before, g.behind},
                    attributes(),
                    cpuEngine()};
        }
        return {{kind, algorithm, x, w, y, g.strides, g.dilations, g.before, g.behind},
                attributes(),
                cpuEngine()};
    }

    const NodeFacts& m_facts;
    const Geometry& m_geometry;
    memory::desc m_plainWeights;
    bool m_isConstant;
};

Step convolution(const NodeFacts& facts) {
    if (facts.inputs.size() < 2 || !facts.has(0) || !facts.has(1) || !facts.isAllFloat() || !facts.wants(0))
        return std::nullopt;
    if (facts.has(2) && facts.inputs[2].count() != facts.inputs[1].shape[0]) return std::nullopt;
    if (facts.call.text("activation", "").empty())
        if (auto step = rowFilter(facts)) return step;
    const auto geometry = geometryOf(facts);
    if (!geometry) return std::nullopt;
    return Builder(facts, *geometry).build();
}

/// ONNX keeps the weights of ConvTranspose as inputs x outputs x kernel, oneDNN as outputs x inputs.
memory::desc swappedWeights(const Shape& w) {
    using Tag = memory::format_tag;
    const memory::dims dims = [&] {
        memory::dims swapped(w);
        std::swap(swapped[0], swapped[1]);
        return swapped;
    }();
    return {dims, memory::data_type::f32, w.size() == 3 ? Tag::bac : w.size() == 4 ? Tag::bacd : Tag::bacde};
}

/// One group, padding as it is given, constant weights.
Step transposedConvolution(const NodeFacts& facts) {
    if (facts.inputs.size() < 2 || !facts.has(1) || !facts.isAllFloat() || !facts.wants(0))
        return std::nullopt;
    const Shape &x = facts.inputs[0].shape, &w = facts.inputs[1].shape, &y = facts.outputs[0].shape;
    const KernelCall& call = facts.call;
    if (x.size() < 3 || x.size() > 5 || w.size() != x.size() || call.integer("group", 1) != 1 ||
        x[1] != w[0] || y[1] != w[1] || facts.inputs[1].constant == nullptr ||
        call.attribute("output_shape") != nullptr || call.text("auto_pad", "NOTSET") != "NOTSET" ||
        (facts.has(2) && facts.inputs[2].count() != y[1]))
        return std::nullopt;
    const std::size_t rank = x.size() - 2;
    const auto window = transposedWindowOf(call, x, w);
    if (!window) return std::nullopt;
    const Shape &strides = window->strides, &dilations = window->dilations;
    const memory::dims before(window->before);
    memory::dims behind(rank);
    for (std::size_t d = 0; d < rank; ++d) {
        behind[d] = (x[d + 2] - 1) * strides[d] + (w[d + 2] - 1) * dilations[d] + 1 - before[d] - y[d + 2];
        if (before[d] < 0 || behind[d] < 0) return std::nullopt;
    }
    const memory::desc weights = swappedWeights(w), bias = descOf({y[1]}, kPlainLayout);
    const auto kind = dnnl::prop_kind::forward_inference;
    const auto algorithm = dnnl::algorithm::deconvolution_direct;
    using Deconvolution = dnnl::deconvolution_forward;
    const auto describe = [&](const memory::desc& from,
                              const memory::desc& to) -> Deconvolution::primitive_desc {
        const memory::desc any = anyDesc(weights.dims());
        const memory::dims less = lessOne(dilations), steps(strides);
        const auto descriptor =
            facts.has(2)
                ? Deconvolution::desc(kind, algorithm, from, any, bias, to, steps, less, before, behind)
                : Deconvolution::desc(kind, algorithm, from, any, to, steps, less, before, behind);
        return {descriptor, userScratchpad(), cpuEngine()};
    };
    auto desc = describe(anyDesc(x), anyDesc(y));
    auto from = layoutOf(desc.src_desc(), x), to = layoutOf(desc.dst_desc(), y);
    if (!from || !to) {
        desc = describe(descOf(x, kPlainLayout), descOf(y, kPlainLayout));
        from = to = kPlainLayout;
    }
    auto kernel = std::make_unique<OnednnKernel>(Deconvolution(desc));
    kernel->takesInput(DNNL_ARG_SRC, 0, desc.src_desc());
    kernel->givesOutput(DNNL_ARG_DST, 0, desc.dst_desc());
    kernel->usesWorkspace(desc.scratchpad_desc());
    kernel->holds(DNNL_ARG_WEIGHTS,
                  reordered(facts.inputs[1].constant->data(), weights, desc.weights_desc()));
    if (facts.has(2)) kernel->takesInput(DNNL_ARG_BIAS, 2, bias);
    StepRequest request = plainRequest(facts);
    request.inputs[0] = canonical(x, *from);
    request.inputs[1] = kHeldByStep;
    request.outputs[0] = {canonical(y, *to), layoutBytes(y, *to), {}};
    request.workspaceBytes = desc.scratchpad_desc().get_size();
    return PreparedStep{std::move(kernel), std::move(request), PreparedStep::Origin::onednn};
}

constexpr FactoryEntry kConvolution[] = {
    {"Conv", &convolution}, {"ConvTranspose", &transposedConvolution}, {"secateur.Conv", &convolution}};

} // namespace

std::span<const FactoryEntry> convolutionFactories() {
    return kConvolution;
}

} // namespace secateur
