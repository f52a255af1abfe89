// SPDX-License-Identifier: Apache-2.0
// What is computed twice is computed once: the first node, wherever the second stands in its sight. Equal
// initializers become one before.
//   a = Op(x), b = Op(x)  =>  b = a
//   a = Add(x, z), b = Add(z, x)  =>  b = a    integers and conditions; floating point at `value`: Max(0, -0)
//   is not Max(-0, 0), and of two NaN either may come out
// Nodes are equal by operator, version, attributes by content, inputs in order and which results are asked
// for. Random operators, those with effects, and nodes that hold bodies are left alone.
#include "core/ir/domains.h"
#include "core/onnx/operator_traits.h"
#include "core/passes/convert/node_parts.h"
#include "core/passes/simplify/simplify_passes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace secateur {
namespace {

constexpr std::string_view kRule = "share-subexpressions";

/// Bytes that two equal things have in common, and no others.
class Key {
  public:
    template <typename T> Key& add(const T& number) {
        static_assert(std::is_trivially_copyable_v<T>);
        m_bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
        return *this;
    }
    Key& add(std::string_view text) {
        add(text.size());
        m_bytes.append(text);
        return *this;
    }
    template <typename T> Key& addAll(const std::vector<T>& list) {
        add(list.size());
        for (const T& entry : list)
            add(entry);
        return *this;
    }
    [[nodiscard]] std::string take() { return std::move(m_bytes); }

  private:
    std::string m_bytes;
};

/// False where the contents cannot be compared.
bool addTensor(Key& key, const Tensor& tensor) {
    key.add(tensor.type).addAll(tensor.dims);
    if (tensor.encoding == Tensor::Encoding::strings) {
        key.add(tensor.strings.size());
        for (const std::string& text : tensor.strings)
            key.add(std::string_view(text));
        return true;
    }
    if (tensor.elementCount() == 0U) return true;
    const auto bytes = rawBytes(tensor);
    if (!bytes) return false;
    key.add(std::string_view(reinterpret_cast<const char*>(bytes->data), bytes->size));
    return true;
}

bool addAttribute(Key& key, const Attribute& attribute) {
    if (!attribute.rest.empty() || !attribute.reference.empty()) return false;
    key.add(std::string_view(attribute.name)).add(attribute.value.index());
    const auto visit = [&](const auto& held) -> bool {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, float>) {
            key.add(held);
        } else if constexpr (std::is_same_v<T, std::string>) {
            key.add(std::string_view(held));
        } else if constexpr (std::is_same_v<T, TensorPtr>) {
            return held && addTensor(key, *held);
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>> ||
                             std::is_same_v<T, std::vector<float>>) {
            key.addAll(held);
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
            key.add(held.size());
            for (const std::string& text : held)
                key.add(std::string_view(text));
        } else {
            return false; // bodies, lists of tensors, types
        }
        return true;
    };
    return std::visit(visit, attribute.value);
}

/// Of two operands, either may come first.
bool isCommutative(std::string_view op) {
    static constexpr std::array<std::string_view, 13> kOps{
        "Add",  "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Max",
        "Mean", "Min", "Mul",        "Or",        "Sum",        "Xor"};
    return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

class Sharing {
  public:
    Sharing(PassContext& context, const RuleView& view, Exactness loosest)
        : m_context(context), m_view(view), m_model(context.model()), m_loosest(loosest) {}

    std::size_t run() {
        shareInitializers();
        sweep(m_model.mainGraph());
        for (const GraphId function : m_model.header().functions)
            sweep(function);
        return m_shared;
    }

  private:
    struct Frame {
        NodeId at; ///< the next node
        std::vector<GraphId> bodies;
        std::size_t known; ///< entries of m_order before this graph
    };

    /// Walks a graph and the bodies in it; what a body knows is forgotten behind it.
    void sweep(GraphId root) {
        std::vector<Frame> stack{{m_model.graph(root).head, {}, m_order.size()}};
        while (!stack.empty() && !m_context.work().isCancelled()) {
            Frame& frame = stack.back();
            if (!frame.bodies.empty()) {
                const GraphId body = frame.bodies.back();
                frame.bodies.pop_back();
                stack.push_back({m_model.graph(body).head, {}, m_order.size()});
                continue;
            }
            if (frame.at.isNone()) {
                forget(frame.known);
                stack.pop_back();
                continue;
            }
            const NodeId node = frame.at;
            frame.at = m_model.node(node).next;
            frame.bodies = m_model.subgraphs(node);
            std::reverse(frame.bodies.begin(), frame.bodies.end());
            look(node);
        }
    }

    void forget(std::size_t known) {
        while (m_order.size() > known) {
            m_known.erase(m_order.back());
            m_order.pop_back();
        }
    }

    [[nodiscard]] bool isShareable(NodeId node) const {
        const OperatorTraits traits = traitsOf(m_model.domain(node), m_model.op(node));
        if (!traits.isKnown || !traits.isPure || traits.isRandom || traits.hasSideEffect) return false;
        if (m_model.isOp(node, "Identity") || m_model.isOp(node, "Constant")) return false;
        const auto results = m_model.outputs(node);
        return std::none_of(results.begin(), results.end(),
                            [&](ValueId result) { return !result.isNone() && m_view.isHeldByName(result); });
    }

    /// How equal the result stays where the two operands change places; none where they may not.
    [[nodiscard]] std::optional<Exactness> swapping(NodeId node) const {
        const auto inputs = m_model.inputs(node);
        const bool isKnown = plainDomain(m_model.domain(node)).empty() && isCommutative(m_model.op(node)) &&
                             inputs.size() == 2 && m_view.opset(node) >= 7; // the old broadcast has sides
        if (!isKnown || inputs[0].isNone() || inputs[1].isNone()) return std::nullopt;
        const ElementType type = m_view.element(inputs[0]);
        if (type == ElementType::undefined) return std::nullopt;
        const bool isExact = !m_view.isFloat(inputs[0]) || m_model.op(node) == "Equal";
        return isExact ? Exactness::exact : Exactness::value;
    }

    /// Inputs, in one order for all nodes that may have them in any.
    [[nodiscard]] std::vector<ValueId> orderedInputs(NodeId node) const {
        const auto inputs = m_model.inputs(node);
        std::vector<ValueId> ordered(inputs.begin(), inputs.end());
        const auto exactness = swapping(node);
        if (exactness && *exactness <= m_loosest)
            std::sort(ordered.begin(), ordered.end(), [](ValueId a, ValueId b) { return a.index < b.index; });
        return ordered;
    }

    bool keyOf(NodeId node, std::string& out) const {
        Key key;
        key.add(plainDomain(m_model.domain(node))).add(m_model.op(node));
        key.add(m_model.text(m_model.node(node).overload));
        std::vector<const Attribute*> attributes;
        for (const Attribute& attribute : m_model.attributes(node))
            attributes.push_back(&attribute);
        std::sort(attributes.begin(), attributes.end(),
                  [](const Attribute* a, const Attribute* b) { return a->name < b->name; });
        for (const Attribute* attribute : attributes) {
            if (!addAttribute(key, *attribute)) return false;
        }
        key.add(m_model.inputs(node).size());
        for (const ValueId input : orderedInputs(node))
            key.add(input.index);
        for (const ValueId result : m_model.outputs(node))
            key.add(result.isNone());
        out = key.take();
        return true;
    }

    void look(NodeId node) {
        std::string key;
        if (!isShareable(node) || !keyOf(node, key)) return;
        const auto [at, isNew] = m_known.try_emplace(key, node);
        if (isNew)
            m_order.push_back(std::move(key));
        else
            share(node, at->second);
    }

    void share(NodeId node, NodeId first) {
        RewriteRecord request;
        request.rule = kRule;
        request.root = node;
        request.matched = {node};
        const bool isSameOrder = std::ranges::equal(m_model.inputs(node), m_model.inputs(first));
        if (!isSameOrder) request.exactness = swapping(node).value_or(Exactness::value);
        request.reason = Reason("rule.share-subexpressions.why", {node, first});
        m_shared +=
            m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord& record) -> Refusal {
                for (std::size_t slot = 0; slot < m_model.outputs(node).size(); ++slot) {
                    const ValueId old = m_model.output(node, slot), with = m_model.output(first, slot);
                    if (old.isNone()) continue;
                    if (Refusal why = readInstead(editor, old, with)) return why;
                    record.equalValues.emplace_back(old, with);
                }
                editor.eraseNode(node);
                return kDone;
            });
    }

    void shareInitializers() {
        std::unordered_map<std::string, ValueId> seen;
        const std::vector<ValueId> initializers = m_model.graph(m_model.mainGraph()).initializers;
        for (const ValueId value : initializers) {
            const bool isPlain = m_model.isAlive(value) && m_model.producer(value).isNone() &&
                                 m_model.hasUses(value) && !m_view.isHeldByName(value);
            if (!isPlain || m_model.isGraphOutput(value)) continue;
            const Tensor& tensor = *m_model.value(value).tensor;
            if (!tensor.rest.empty() || tensor.byteSize().value_or(0) > kMostShared) continue;
            Key key;
            if (!addTensor(key, tensor)) continue;
            const auto [at, isNew] = seen.try_emplace(key.take(), value);
            if (!isNew) shareInitializer(value, at->second);
        }
    }

    void shareInitializer(ValueId copy, ValueId first) {
        RewriteRecord request;
        request.rule = kRule;
        request.erasedValues = {copy};
        request.reason = Reason("rule.share-subexpressions.why-initializer", {copy, first});
        m_shared +=
            m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord& record) -> Refusal {
                if (Refusal why = readInstead(editor, copy, first)) return why;
                record.equalValues.emplace_back(copy, first);
                editor.eraseValue(copy);
                return kDone;
            });
    }

    /// Larger ones are weights: drop-training-state shares these, by samples first.
    static constexpr std::uint64_t kMostShared = 4096;

    PassContext& m_context;
    const RuleView& m_view;
    const Model& m_model;
    const Exactness m_loosest;
    std::unordered_map<std::string, NodeId> m_known;
    std::vector<std::string> m_order; ///< keys of m_known as they came
    std::size_t m_shared = 0;
};

} // namespace

std::size_t shareSubexpressions(PassContext& context, const RuleView& view, Exactness loosest) {
    return Sharing(context, view, loosest).run();
}

} // namespace secateur
