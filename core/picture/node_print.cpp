// SPDX-License-Identifier: Apache-2.0
#include "core/picture/node_print.h"

#include "core/support/hash.h"

namespace secateur {

namespace {

/// A pointer as a number, for comparison only.
std::uint64_t identity(const void* pointer) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(pointer));
}

std::uint64_t printOfType(const Type& type) {
    std::uint64_t print =
        hashCombine(static_cast<std::uint64_t>(type.kind),
                    static_cast<std::uint64_t>(type.element) * 2U + (type.hasShape ? 1U : 0U));
    for (const Dim& dim : type.dims)
        print = hashCombine(print, dim.value ? static_cast<std::uint64_t>(*dim.value) : hashText(dim.symbol));
    return print;
}

} // namespace

std::uint64_t meaningOf(const Model& model, NodeId node, const EqualValues& equal) {
    const Node& n = model.node(node);
    std::uint64_t print = hashCombine(n.op.index, n.domain.index);
    print = hashCombine(print, identity(n.attributes.get()));
    for (const ValueId input : model.inputs(node))
        print = hashCombine(print, input.isNone() ? input.index : equal.of(input).index);
    return print;
}

std::uint64_t printOf(const Model& model, const TypeTable& types, NodeId node) {
    const Node& n = model.node(node);
    std::uint64_t print = hashCombine(hashCombine(n.op.index, n.domain.index), n.name.index);
    print = hashCombine(print, identity(n.attributes.get()));
    for (const ValueId input : model.inputs(node)) {
        print = hashCombine(print, input.index);
        if (input.isNone()) continue;
        const Value& value = model.value(input);
        // A weight is shown by its name, type or contents; of what another node makes only the slot counts.
        if (value.tensor == nullptr && !model.isGraphInput(input)) continue;
        print = hashCombine(hashCombine(print, value.name.index), identity(value.tensor.get()));
        print = hashCombine(print, printOfType(types.type(input)));
    }
    return print;
}

std::uint64_t printOfInput(const Model& model, const TypeTable& types, ValueId input) {
    return hashCombine(model.value(input).name.index, printOfType(types.type(input)));
}

} // namespace secateur
