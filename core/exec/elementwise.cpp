// SPDX-License-Identifier: Apache-2.0
#include "core/exec/elementwise.h"

namespace secateur {

Result<Shape> broadcastOf(const KernelCall& call, const TensorData& a, TensorData& b) {
    constexpr std::int64_t kNumpyRule = 7;
    const bool isOldRule = call.opset < kNumpyRule && call.model->isDefaultDomain(call.node);
    if (isOldRule && call.integer("broadcast", 0) != 0) {
        const auto rank = static_cast<std::int64_t>(a.rank());
        const auto own = static_cast<std::int64_t>(b.rank());
        std::int64_t axis = call.integer("axis", rank - own);
        if (axis < 0) axis += rank;
        if (axis < 0 || axis + own > rank)
            return call.fail("exec.no-broadcast", {shapeText(a.shape()), shapeText(b.shape())});
        Shape shape = b.shape();
        shape.insert(shape.end(), static_cast<std::size_t>(rank - own - axis), 1);
        b = b.reshaped(std::move(shape));
    }
    auto shape = broadcastShape(a.shape(), b.shape());
    if (!shape) return call.fail("exec.no-broadcast", {shapeText(a.shape()), shapeText(b.shape())});
    return std::move(*shape);
}

} // namespace secateur
