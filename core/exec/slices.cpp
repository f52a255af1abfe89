// SPDX-License-Identifier: Apache-2.0
#include "core/exec/slices.h"

#include "core/exec/broadcast.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace secateur {
namespace {

struct SliceLists {
    std::vector<std::int64_t> starts, ends, axes, steps;
};

Result<SliceLists> sliceLists(const KernelCall& call, std::size_t rank) {
    constexpr std::int64_t kListsAreInputs = 10;
    SliceLists lists;
    std::optional<std::vector<std::int64_t>> axes, steps;
    if (call.opset < kListsAreInputs) {
        if (const auto* given = call.integers("starts")) lists.starts = *given;
        if (const auto* given = call.integers("ends")) lists.ends = *given;
        if (const auto* given = call.integers("axes")) axes = *given;
    } else {
        lists.starts = TRY(call.integersIn(1)).value_or(std::vector<std::int64_t>());
        lists.ends = TRY(call.integersIn(2)).value_or(std::vector<std::int64_t>());
        axes = TRY(call.integersIn(3));
        steps = TRY(call.integersIn(4));
    }
    if (!axes) {
        axes.emplace(lists.starts.size());
        std::iota(axes->begin(), axes->end(), 0);
    }
    lists.axes = std::move(*axes);
    lists.steps = steps.value_or(std::vector<std::int64_t>(lists.starts.size(), 1));
    const std::size_t count = lists.starts.size();
    if (lists.ends.size() != count || lists.axes.size() != count || lists.steps.size() != count ||
        count > rank)
        return call.fail("exec.bad-slice");
    return lists;
}

} // namespace

Result<SliceView> sliceViewOf(const KernelCall& call, const Shape& from) {
    const SliceLists lists = TRY(sliceLists(call, from.size()));
    SliceView view{from, stridesOf(from), 0};
    std::vector<bool> isCut(from.size(), false);
    for (std::size_t i = 0; i < lists.axes.size(); ++i) {
        const std::size_t axis = TRY(axisOf(call, lists.axes[i], from.size()));
        if (isCut[axis]) return call.fail("exec.axis-twice", {std::to_string(lists.axes[i])});
        isCut[axis] = true;
        const std::int64_t dim = from[axis], step = lists.steps[i];
        if (step == 0) return call.fail("exec.bad-slice");
        const auto place = [dim](std::int64_t at) { return at < 0 ? std::max(at, INT64_MIN / 2) + dim : at; };
        const std::int64_t last = step > 0 ? dim : dim - 1; // the largest start
        const std::int64_t start =
            std::clamp<std::int64_t>(place(lists.starts[i]), 0, std::max<std::int64_t>(last, 0));
        const std::int64_t end =
            std::clamp<std::int64_t>(place(lists.ends[i]), step > 0 ? 0 : -1, step > 0 ? dim : dim - 1);
        const std::int64_t span = step > 0 ? end - start : start - end;
        // A step as large as INT64_MIN has no absolute value.
        const std::uint64_t stride =
            step > 0 ? static_cast<std::uint64_t>(step) : ~static_cast<std::uint64_t>(step) + 1;
        std::int64_t& size = view.shape[axis];
        size = dim == 0 || span <= 0
                   ? 0
                   : static_cast<std::int64_t>((static_cast<std::uint64_t>(span) - 1) / stride + 1);
        view.base += size == 0 ? 0 : start * view.strides[axis];
        view.strides[axis] *= size <= 1 ? 1 : step;
    }
    return view;
}

} // namespace secateur
