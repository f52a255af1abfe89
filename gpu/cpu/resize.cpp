// SPDX-License-Identifier: Apache-2.0
//
// ONNX Resize between elements (linear, cubic): axis by axis, each element a weighted sum of a few, in the
// layout of the operand where the channels are not touched. The nearest element is a copy, see padding.cpp.
#include "core/exec/resampling.h"
#include "gpu/cpu/factories.h"
#include "gpu/cpu/layouts.h"

#include <algorithm>

namespace secateur {
namespace {

using Step = std::optional<PreparedStep>;

/// One axis: before x in x behind becomes before x out x behind.
struct AxisPass {
    std::int64_t before = 1, in = 1, out = 1, behind = 1, taps = 1;
    std::vector<std::int64_t> from; ///< by result position and tap: element of the axis
    std::vector<float> weights;     ///< parallel; one tap may stand there several times

    [[nodiscard]] std::int64_t results() const { return before * out * behind; }
};

class ResizeKernel : public CpuKernel {
  public:
    ResizeKernel(std::vector<AxisPass> passes, std::shared_ptr<void> charged)
        : m_passes(std::move(passes)), m_charged(std::move(charged)) {}

    /// Two results of passes but the last, in turn.
    [[nodiscard]] std::uint64_t workspaceBytes() const { return 2 * halfBytes(); }

    void run(const StepMemory& memory) override {
        const float* from = memory.floats(0);
        for (std::size_t i = 0; i < m_passes.size(); ++i) {
            float* to = memory.result();
            if (i + 1 < m_passes.size())
                to = reinterpret_cast<float*>(memory.workspace + (i % 2) * halfBytes());
            runPass(m_passes[i], from, to, memory.threads);
            from = to;
        }
    }

  private:
    [[nodiscard]] std::uint64_t halfBytes() const {
        std::int64_t most = 0;
        for (std::size_t i = 0; i + 1 < m_passes.size(); ++i)
            most = std::max(most, m_passes[i].results());
        constexpr std::uint64_t kAlign = 64;
        return (static_cast<std::uint64_t>(most) * sizeof(float) + kAlign - 1) / kAlign * kAlign;
    }

    static void runPass(const AxisPass& pass, const float* from, float* to, ThreadPool& threads) {
        const std::int64_t grain = std::max<std::int64_t>(1, (1 << 14) / (pass.behind * pass.taps));
        threads.forRange(pass.before * pass.out, grain, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t at = first; at < last; ++at) {
                const std::int64_t position = at % pass.out;
                const float* x = from + at / pass.out * pass.in * pass.behind;
                addUp(pass, position, x, to + at * pass.behind);
            }
        });
    }

    static void addUp(const AxisPass& pass, std::int64_t position, const float* x, float* y) {
        const std::int64_t* from = pass.from.data() + position * pass.taps;
        const float* weights = pass.weights.data() + position * pass.taps;
        const std::int64_t behind = pass.behind;
        if (pass.taps == 2) {
            const float *a = x + from[0] * behind, *b = x + from[1] * behind;
            const float left = weights[0], right = weights[1];
            for (std::int64_t i = 0; i < behind; ++i)
                y[i] = left * a[i] + right * b[i];
            return;
        }
        for (std::int64_t i = 0; i < behind; ++i)
            y[i] = weights[0] * x[from[0] * behind + i];
        for (std::int64_t k = 1; k < pass.taps; ++k)
            for (std::int64_t i = 0; i < behind; ++i)
                y[i] += weights[k] * x[from[k] * behind + i];
    }

    std::vector<AxisPass> m_passes;
    std::shared_ptr<void> m_charged;
};

bool isUnchanged(const ResampledAxis& axis, std::int64_t dim) {
    if (static_cast<std::int64_t>(axis.taps.size()) != dim) return false;
    for (std::size_t at = 0; at < axis.taps.size(); ++at)
        if (axis.taps[at].size() != 1 || axis.taps[at][0].at != at || axis.taps[at][0].weight != 1)
            return false;
    return true;
}

/// The taps of an axis, as many for each position; none where a position has no tap, or too many.
std::optional<AxisPass> passOf(const ResampledAxis& axis) {
    constexpr std::size_t kMost = 8;
    AxisPass pass;
    std::size_t taps = 1;
    for (std::size_t at = 0; at < axis.taps.size(); ++at) {
        if (axis.isOutside[at] || axis.taps[at].empty() || axis.taps[at].size() > kMost) return std::nullopt;
        taps = std::max(taps, axis.taps[at].size());
    }
    pass.taps = static_cast<std::int64_t>(taps);
    for (const std::vector<Tap>& list : axis.taps)
        for (std::size_t k = 0; k < taps; ++k) {
            // A position with fewer taps shares its first one out: no element that it does not want, which
            // may be infinite, is multiplied by zero.
            const bool isThere = k < list.size();
            const std::size_t missing = taps - list.size() + 1;
            const float shared = static_cast<float>(list[0].weight / static_cast<double>(missing));
            pass.from.push_back(static_cast<std::int64_t>(list[isThere ? k : 0].at));
            pass.weights.push_back(k == 0 || !isThere ? shared : static_cast<float>(list[k].weight));
        }
    pass.out = static_cast<std::int64_t>(axis.taps.size());
    return pass;
}

Step resize(const NodeFacts& facts) {
    constexpr std::int64_t kHasRoi = 11;
    if (!facts.has(0) || !facts.inputs[0].isFloat() || !facts.wants(0) || facts.inputs[0].count() == 0 ||
        facts.outputs[0].count() == 0 || facts.inputs[0].shape.empty() || !facts.isConstantFrom(1))
        return std::nullopt;
    const bool isOld = facts.call.opset < kHasRoi;
    const OperandFacts& x = facts.inputs[0];
    const auto plan =
        resamplingOf(facts.call, x.shape, isOld ? SIZE_MAX : 1, isOld ? 1 : 2, isOld ? SIZE_MAX : 3);
    if (!plan || plan->shape != facts.outputs[0].shape) return std::nullopt;
    LayoutCode layout = x.layout;
    for (std::size_t d = 0; d < 2 && d < x.shape.size(); ++d)
        if (!isUnchanged(plan->axes[d], x.shape[d])) layout = kPlainLayout;
    Shape now = physicalShape(x.shape, layout);
    std::vector<AxisPass> passes;
    for (std::size_t d = 0; d < x.shape.size(); ++d) {
        if (isUnchanged(plan->axes[d], x.shape[d])) continue;
        auto pass = passOf(plan->axes[d]);
        if (!pass) return std::nullopt;
        // {N, C, H, W} lies as {N, groups, H, W, block}, or {N, H, W, C}.
        const std::size_t place = layout == kChannelsLast ? d - 1 : d;
        for (std::size_t k = 0; k < now.size(); ++k)
            (k < place ? pass->before : k == place ? pass->in : pass->behind) *= now[k];
        now[place] = pass->out;
        passes.push_back(std::move(*pass));
    }
    if (passes.empty()) return std::nullopt;
    auto kernel = std::make_unique<ResizeKernel>(std::move(passes), plan->charged);
    const std::uint64_t workspace = kernel->workspaceBytes();
    StepRequest request = plainRequest(facts);
    std::fill(request.inputs.begin(), request.inputs.end(), kHeldByStep);
    request.inputs[0] = layout;
    request.outputs[0] = {
        canonical(facts.outputs[0].shape, layout), layoutBytes(facts.outputs[0].shape, layout), {}};
    request.workspaceBytes = workspace;
    return PreparedStep{std::move(kernel), std::move(request), PreparedStep::Origin::own};
}

constexpr FactoryEntry kResize[] = {{"Resize", &resize}};

} // namespace

std::span<const FactoryEntry> resizeFactories() {
    return kResize;
}

} // namespace secateur
