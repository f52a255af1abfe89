// SPDX-License-Identifier: Apache-2.0
#include "core/exec/kernel.h"

#include "core/exec/kernel_tables.h"
#include "core/exec/same_types.h"
#include "core/messages/messages.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <tuple>

namespace secateur {
namespace {

std::vector<KernelEntry> sortedKernels() {
    std::vector<KernelEntry> all;
    for (const auto table : kernelTables())
        all.insert(all.end(), table.begin(), table.end());
    std::sort(all.begin(), all.end(), [](const KernelEntry& a, const KernelEntry& b) {
        return std::tie(a.domain, a.op, a.since) < std::tie(b.domain, b.op, b.since);
    });
    return all;
}

template <typename T> const T* valueOf(const Attribute* attribute) {
    return attribute == nullptr ? nullptr : std::get_if<T>(&attribute->value);
}

} // namespace

std::span<const KernelEntry> allKernels() {
    static const std::vector<KernelEntry> kAll = sortedKernels();
    return kAll;
}

Kernel findKernel(std::string_view domain, std::string_view op, std::int64_t opset) {
    if (domain == "ai.onnx") domain = "";
    const auto all = allKernels();
    const auto above = std::upper_bound(all.begin(), all.end(), std::tie(domain, op, opset),
                                        [](const auto& key, const KernelEntry& entry) {
                                            return key < std::tie(entry.domain, entry.op, entry.since);
                                        });
    if (above == all.begin()) return nullptr;
    const KernelEntry& best = *std::prev(above);
    return best.domain == domain && best.op == op ? best.run : nullptr;
}

Result<void> runKernel(Kernel kernel, const KernelCall& call) {
    const auto run = [&]() -> Result<void> {
        TRY(checkSameTypes(call));
        try {
            TRY(kernel(call));
        } catch (const MemoryRefused& refused) {
            return refused.error();
        } catch (const std::bad_alloc&) {
            return call.pool->exhausted();
        } catch (const std::length_error&) {
            return call.pool->exhausted();
        }
        for (const RuntimeValue& output : call.outputs)
            if (const TensorData* tensor = output.tensor()) TRY(tensor->countText());
        return {};
    };
    auto done = run();
    if (done) return done;
    Error error = std::move(done).error();
    if (error.where.empty()) error.where = nodeText(*call.model, call.node);
    return error;
}

Result<const TensorData*> KernelCall::tensor(std::size_t slot) const {
    const TensorData* given = slot < inputs.size() ? inputs[slot].tensor() : nullptr;
    if (given != nullptr) return given;
    const std::string what =
        slot < inputs.size() ? inputs[slot].text() : std::string(message("exec.nothing"));
    return fail("exec.needs-tensor", {std::to_string(slot), what});
}

Result<const TensorData*> KernelCall::optionalTensor(std::size_t slot) const {
    if (!hasInput(slot)) return static_cast<const TensorData*>(nullptr);
    return tensor(slot);
}

const Attribute* KernelCall::attribute(std::string_view name) const {
    const Attribute* own = model->attribute(node, name);
    if (own == nullptr || own->reference.empty()) return own;
    if (callAttributes == nullptr) return nullptr;
    const auto given = std::find_if(callAttributes->begin(), callAttributes->end(),
                                    [&](const Attribute& a) { return a.name == own->reference; });
    return given == callAttributes->end() ? nullptr : &*given;
}

std::int64_t KernelCall::integer(std::string_view name, std::int64_t otherwise) const {
    const auto* given = valueOf<std::int64_t>(attribute(name));
    return given == nullptr ? otherwise : *given;
}

float KernelCall::real(std::string_view name, float otherwise) const {
    const auto* given = valueOf<float>(attribute(name));
    return given == nullptr ? otherwise : *given;
}

std::string_view KernelCall::text(std::string_view name, std::string_view otherwise) const {
    const auto* given = valueOf<std::string>(attribute(name));
    return given == nullptr ? otherwise : std::string_view(*given);
}

const std::vector<std::int64_t>* KernelCall::integers(std::string_view name) const {
    return valueOf<std::vector<std::int64_t>>(attribute(name));
}

const std::vector<float>* KernelCall::reals(std::string_view name) const {
    return valueOf<std::vector<float>>(attribute(name));
}

Result<std::optional<std::vector<std::int64_t>>> KernelCall::integersIn(std::size_t slot) const {
    using Answer = std::optional<std::vector<std::int64_t>>;
    const TensorData* given = TRY(optionalTensor(slot));
    if (given == nullptr) return Answer();
    if (given->type() == ElementType::int64) {
        const auto cells = given->as<std::int64_t>();
        return Answer(std::in_place, cells.begin(), cells.end());
    }
    if (given->type() == ElementType::int32) {
        const auto cells = given->as<std::int32_t>();
        return Answer(std::in_place, cells.begin(), cells.end());
    }
    return fail("exec.needs-integers", {std::to_string(slot), elementTypeName(given->type())});
}

Error KernelCall::fail(std::string_view id, std::vector<std::string> arguments) const {
    return invalidInput(formatMessage(id, arguments), nodeText(*model, node));
}

Error KernelCall::noCodeFor(ElementType type) const {
    return missingHere(
        formatMessage("exec.no-code-for-type", {std::string(model->op(node)), elementTypeName(type)}),
        nodeText(*model, node));
}

} // namespace secateur
