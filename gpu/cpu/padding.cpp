// SPDX-License-Identifier: Apache-2.0
//
// ONNX Pad and Resize to the nearest element: copies along maps, in the layout of the operand where the
// channels are not touched.
#include "core/exec/resampling.h"
#include "gpu/cpu/factories.h"
#include "gpu/cpu/layouts.h"
#include "gpu/cpu/mapped_copy.h"

#include <algorithm>
#include <numeric>

namespace secateur {
namespace {

using Step = std::optional<PreparedStep>;
using Map = std::vector<std::int64_t>;

bool isIdentity(const Map& map, std::int64_t dim) {
    if (static_cast<std::int64_t>(map.size()) != dim) return false;
    for (std::size_t at = 0; at < map.size(); ++at)
        if (map[at] != static_cast<std::int64_t>(at)) return false;
    return true;
}

Map identity(std::int64_t dim) {
    Map map(static_cast<std::size_t>(dim));
    std::iota(map.begin(), map.end(), std::int64_t{0});
    return map;
}

/// `maps` are by axis of the operand's own shape.
Step mappedStep(const NodeFacts& facts, std::vector<Map> maps, float constant,
                std::shared_ptr<void> charged) {
    const OperandFacts& x = facts.inputs[0];
    const Shape& y = facts.outputs[0].shape;
    for (std::size_t d = 0; d < maps.size(); ++d)
        if (static_cast<std::int64_t>(maps[d].size()) != y.at(d)) return std::nullopt;
    LayoutCode layout = x.layout;
    if (layout != kPlainLayout &&
        (!isIdentity(maps[1], x.shape[1]) || (constant != 0.0F && !isUnpadded(x.shape, layout))))
        layout = kPlainLayout;
    const Shape physical = physicalShape(x.shape, layout);
    if (layout != kPlainLayout) { // {N, C, H, W} becomes {N, groups, H, W, block}, or {N, H, W, C}
        maps.erase(maps.begin() + 1);
        if (layout != kChannelsLast) maps.insert(maps.begin() + 1, identity(physical[1]));
        maps.push_back(identity(physical.back()));
    }
    StepRequest request = plainRequest(facts);
    std::fill(request.inputs.begin(), request.inputs.end(), kHeldByStep);
    request.inputs[0] = layout;
    request.outputs[0] = {canonical(y, layout), layoutBytes(y, layout), {}};
    auto kernel = std::make_unique<MappedCopy>(physical, std::move(maps), constant);
    kernel->hold(std::move(charged));
    return PreparedStep{std::move(kernel), std::move(request), PreparedStep::Origin::own};
}

bool isFloatCopy(const NodeFacts& facts) {
    return facts.has(0) && facts.inputs[0].isFloat() && facts.wants(0) && facts.inputs[0].count() > 0 &&
           facts.outputs[0].count() > 0 && !facts.inputs[0].shape.empty() && facts.isConstantFrom(1) &&
           facts.outputs[0].shape.size() == facts.inputs[0].shape.size();
}

Step resize(const NodeFacts& facts) {
    constexpr std::int64_t kHasRoi = 11;
    if (!isFloatCopy(facts)) return std::nullopt;
    const bool isOld = facts.call.opset < kHasRoi;
    const auto plan = resamplingOf(facts.call, facts.inputs[0].shape, isOld ? SIZE_MAX : 1, isOld ? 1 : 2,
                                   isOld ? SIZE_MAX : 3);
    if (!plan || plan->shape != facts.outputs[0].shape) return std::nullopt;
    auto charged = facts.call.pool->charge(MappedCopy::tableBytes(plan->shape));
    if (!charged) return std::nullopt;
    std::vector<Map> maps;
    for (const ResampledAxis& axis : plan->axes) {
        Map& map = maps.emplace_back();
        for (std::size_t at = 0; at < axis.taps.size(); ++at) {
            if (axis.isOutside[at] || axis.taps[at].size() != 1 || axis.taps[at][0].weight != 1)
                return std::nullopt;
            map.push_back(static_cast<std::int64_t>(axis.taps[at][0].at));
        }
    }
    return mappedStep(facts, std::move(maps), 0, std::move(*charged));
}

/// Where a position of a padded axis comes from.
std::int64_t paddedFrom(std::int64_t from, std::int64_t dim, std::string_view mode) {
    if (from >= 0 && from < dim) return from;
    if (mode == "edge") return from < 0 ? 0 : dim - 1;
    if (mode == "wrap") return (from % dim + dim) % dim;
    if (mode != "reflect") return MappedCopy::kConstant;
    if (dim == 1) return 0;
    const std::int64_t period = 2 * (dim - 1), in = (from % period + period) % period;
    return in < dim ? in : period - in;
}

Step pad(const NodeFacts& facts) {
    constexpr std::int64_t kPadsAreInputs = 11;
    if (!isFloatCopy(facts) || facts.call.opset < kPadsAreInputs) return std::nullopt;
    const std::string_view mode = facts.call.text("mode", "constant");
    if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap") return std::nullopt;
    const Shape& shape = facts.inputs[0].shape;
    const auto pads = facts.call.integersIn(1), axes = facts.call.integersIn(3);
    if (!pads || !*pads || !axes) return std::nullopt;
    Map listed = *axes ? **axes : identity(static_cast<std::int64_t>(shape.size()));
    const Map& widths = **pads;
    if (widths.size() != 2 * listed.size()) return std::nullopt;
    auto charged = facts.call.pool->charge(MappedCopy::tableBytes(facts.outputs[0].shape));
    if (!charged) return std::nullopt;
    std::vector<Map> maps;
    for (const std::int64_t dim : shape)
        maps.push_back(identity(dim));
    for (std::size_t i = 0; i < listed.size(); ++i) {
        const std::int64_t axis =
            listed[i] < 0 ? listed[i] + static_cast<std::int64_t>(shape.size()) : listed[i];
        if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size())) return std::nullopt;
        const auto d = static_cast<std::size_t>(axis);
        const std::int64_t before = widths[i], behind = widths[i + listed.size()];
        std::int64_t size = 0;
        if (__builtin_add_overflow(shape[d], before, &size) || __builtin_add_overflow(size, behind, &size) ||
            size != facts.outputs[0].shape[d])
            return std::nullopt;
        maps[d].clear();
        for (std::int64_t at = 0; at < size; ++at)
            maps[d].push_back(paddedFrom(at - before, shape[d], mode));
    }
    float constant = 0;
    if (facts.has(2)) {
        if (!facts.inputs[2].isFloat() || facts.inputs[2].count() != 1) return std::nullopt;
        constant = facts.inputs[2].constant->as<float>()[0];
    }
    return mappedStep(facts, std::move(maps), constant, std::move(*charged));
}

constexpr FactoryEntry kPadding[] = {{"Pad", &pad}, {"Resize", &resize}};

} // namespace

std::span<const FactoryEntry> paddingFactories() {
    return kPadding;
}

} // namespace secateur
