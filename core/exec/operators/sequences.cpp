// SPDX-License-Identifier: Apache-2.0
//
// ONNX sequences and optionals.
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"

#include <algorithm>

namespace secateur {
namespace {

using SequencePtr = std::shared_ptr<const SequenceData>;

Result<const SequenceData*> sequenceIn(const KernelCall& call, std::size_t slot) {
    const SequenceData* sequence = slot < call.inputs.size() ? call.inputs[slot].sequence() : nullptr;
    if (sequence == nullptr) return call.fail("exec.needs-sequence", {std::to_string(slot)});
    return sequence;
}

/// A position in a sequence of `size` (negative ones count from the end); `last` is the largest that is
/// allowed.
Result<std::size_t> positionIn(const KernelCall& call, std::size_t slot, std::size_t size,
                               std::int64_t last) {
    const auto given = TRY(call.integersIn(slot));
    if (!given || given->size() != 1) return call.fail("exec.needs-one-element", {std::to_string(slot), "?"});
    std::int64_t at = given->front();
    if (at < 0) at += static_cast<std::int64_t>(size);
    if (at < 0 || at > last)
        return call.fail("exec.bad-position", {std::to_string(given->front()), std::to_string(size)});
    return static_cast<std::size_t>(at);
}

Result<void> runConstruct(const KernelCall& call) {
    auto sequence = std::make_shared<SequenceData>();
    TRY(chargeItems(call, *sequence, call.inputs.size()));
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        const TensorData* tensor = TRY(call.tensor(i));
        if (i == 0) sequence->element = tensor->type();
        sequence->items.emplace_back(*tensor);
    }
    call.setOutput(0, SequencePtr(std::move(sequence)));
    return {};
}

Result<void> runEmpty(const KernelCall& call) {
    auto sequence = std::make_shared<SequenceData>();
    sequence->element =
        static_cast<ElementType>(call.integer("dtype", static_cast<int>(ElementType::float32)));
    call.setOutput(0, SequencePtr(std::move(sequence)));
    return {};
}

Result<void> runInsert(const KernelCall& call) {
    const SequenceData* from = TRY(sequenceIn(call, 0));
    const TensorData* item = TRY(call.tensor(1));
    auto sequence = std::make_shared<SequenceData>();
    TRY(chargeItems(call, *sequence, from->items.size() + 1)); // asked before the memory is taken
    sequence->items.reserve(from->items.size() + 1);
    sequence->items = from->items;
    std::size_t at = from->items.size();
    if (call.hasInput(2))
        at = TRY(positionIn(call, 2, from->items.size(), static_cast<std::int64_t>(from->items.size())));
    sequence->items.insert(sequence->items.begin() + static_cast<std::ptrdiff_t>(at), RuntimeValue(*item));
    sequence->element = item->type();
    call.setOutput(0, SequencePtr(std::move(sequence)));
    return {};
}

Result<void> runErase(const KernelCall& call) {
    const SequenceData* from = TRY(sequenceIn(call, 0));
    if (from->items.empty()) return call.fail("exec.bad-position", {"-1", "0"});
    const auto last = static_cast<std::int64_t>(from->items.size()) - 1;
    std::size_t at = from->items.size() - 1;
    if (call.hasInput(1)) at = TRY(positionIn(call, 1, from->items.size(), last));
    auto sequence = std::make_shared<SequenceData>();
    TRY(chargeItems(call, *sequence, from->items.size()));
    sequence->element = from->element;
    sequence->items = from->items;
    sequence->items.erase(sequence->items.begin() + static_cast<std::ptrdiff_t>(at));
    call.setOutput(0, SequencePtr(std::move(sequence)));
    return {};
}

Result<void> runAt(const KernelCall& call) {
    const SequenceData* from = TRY(sequenceIn(call, 0));
    const auto last = static_cast<std::int64_t>(from->items.size()) - 1;
    call.setOutput(0, from->items[TRY(positionIn(call, 1, from->items.size(), last))]);
    return {};
}

Result<void> runLength(const KernelCall& call) {
    const SequenceData* from = TRY(sequenceIn(call, 0));
    TensorData length = TRY(call.make(ElementType::int64, {}));
    length.as<std::int64_t>()[0] = static_cast<std::int64_t>(from->items.size());
    call.setOutput(0, std::move(length));
    return {};
}

/// ONNX SplitToSequence: pieces of `split` along an axis; without it pieces of one, whose axis goes unless
/// keepdims.
Result<void> runSplitToSequence(const KernelCall& call) {
    const TensorData* tensor = TRY(call.tensor(0));
    const std::size_t axis = TRY(axisOf(call, call.integer("axis", 0), tensor->rank()));
    const std::int64_t dim = tensor->shape()[axis];
    const auto listed = TRY(call.chargeScratch(static_cast<std::uint64_t>(dim), sizeof(std::int64_t)));
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(dim), 1);
    if (const auto split = TRY(call.integersIn(1))) {
        if (TRY(call.tensor(1))->rank() == 0) {
            const std::int64_t piece = split->front();
            if (piece <= 0) return call.fail("exec.bad-split", {std::to_string(piece), std::to_string(dim)});
            sizes.assign(static_cast<std::size_t>(dim / piece), piece);
            if (dim % piece != 0) sizes.push_back(dim % piece);
        } else {
            sizes = *split;
        }
    }
    const bool keepsAxis = call.hasInput(1) || call.integer("keepdims", 1) != 0;
    auto sequence = std::make_shared<SequenceData>();
    sequence->element = tensor->type();
    TRY(chargeItems(call, *sequence, sizes.size()));
    std::int64_t at = 0;
    for (const std::int64_t size : sizes) {
        if (size < 0 || at + size > dim)
            return call.fail("exec.bad-split", {std::to_string(at + size), std::to_string(dim)});
        sequence->items.emplace_back(keepsAxis ? TRY(partAlong(call, *tensor, axis, at, size))
                                               : TRY(sliceAlong(call, *tensor, axis, at)));
        at += size;
    }
    if (at != dim) return call.fail("exec.bad-split", {std::to_string(at), std::to_string(dim)});
    call.setOutput(0, SequencePtr(std::move(sequence)));
    return {};
}

Result<void> runConcatFromSequence(const KernelCall& call) {
    const SequenceData* from = TRY(sequenceIn(call, 0));
    std::vector<TensorData> parts;
    for (const RuntimeValue& item : from->items) {
        if (item.tensor() == nullptr) return call.fail("exec.needs-tensor", {"0", item.text()});
        parts.push_back(*item.tensor());
    }
    if (parts.empty()) return call.fail("exec.nothing-to-join");
    const bool isNewAxis = call.integer("new_axis", 0) != 0;
    const std::size_t axis =
        TRY(axisOf(call, call.integer("axis", 0), parts.front().rank() + (isNewAxis ? 1 : 0)));
    call.setOutput(0, TRY(isNewAxis ? stackAlong(call, parts, axis) : joinAlong(call, parts, axis)));
    return {};
}

Result<void> runOptional(const KernelCall& call) {
    auto optional = std::make_shared<OptionalData>();
    if (call.hasInput(0)) optional->value = call.inputs[0];
    call.setOutput(0, std::shared_ptr<const OptionalData>(std::move(optional)));
    return {};
}

/// From opset 18 on the input may also be no optional at all.
Result<void> runHasElement(const KernelCall& call) {
    const bool isGiven = call.hasInput(0);
    const OptionalData* optional = isGiven ? call.inputs[0].optional() : nullptr;
    TensorData has = TRY(call.make(ElementType::boolean, {}));
    has.as<std::uint8_t>()[0] = optional != nullptr ? !optional->value.isAbsent() : isGiven;
    call.setOutput(0, std::move(has));
    return {};
}

Result<void> runGetElement(const KernelCall& call) {
    if (!call.hasInput(0)) return call.fail("exec.optional-is-empty");
    const OptionalData* optional = call.inputs[0].optional();
    if (optional == nullptr) {
        call.setOutput(0, call.inputs[0]);
        return {};
    }
    if (optional->value.isAbsent()) return call.fail("exec.optional-is-empty");
    call.setOutput(0, optional->value);
    return {};
}

constexpr KernelEntry kSequences[] = {
    {"", "ConcatFromSequence", 11, &runConcatFromSequence},
    {"", "Optional", 15, &runOptional},
    {"", "OptionalGetElement", 15, &runGetElement},
    {"", "OptionalHasElement", 15, &runHasElement},
    {"", "SequenceAt", 11, &runAt},
    {"", "SequenceConstruct", 11, &runConstruct},
    {"", "SequenceEmpty", 11, &runEmpty},
    {"", "SequenceErase", 11, &runErase},
    {"", "SequenceInsert", 11, &runInsert},
    {"", "SequenceLength", 11, &runLength},
    {"", "SplitToSequence", 11, &runSplitToSequence},
};

} // namespace

std::span<const KernelEntry> sequenceKernels() {
    return kSequences;
}

} // namespace secateur
