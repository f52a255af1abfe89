// SPDX-License-Identifier: Apache-2.0
#include "core/ir/model_hash.h"

#include "core/ir/walk.h"
#include "core/support/hash.h"

#include <algorithm>
#include <vector>

namespace secateur {
namespace {

class ExactHasher {
  public:
    explicit ExactHasher(const Model& model) : m_model(model) {}

    std::uint64_t run() {
        addHeader();
        for (std::size_t i = 0; i < m_model.graphIdCount(); ++i)
            addGraph(GraphId(i));
        for (std::size_t i = 0; i < m_model.valueIdCount(); ++i)
            addValue(ValueId(i));
        return m_hash.digest();
    }

  private:
    void addText(Symbol symbol) { m_hash.addText(m_model.text(symbol)); }
    void addOpsets(const std::vector<OpsetImport>& opsets) {
        for (const OpsetImport& opset : opsets)
            m_hash.addText(opset.domain).add(opset.version).addText(opset.rest);
    }

    void addHeader() {
        const ModelHeader& header = m_model.header();
        m_hash.add(header.irVersion).add(header.hasIrVersion).addText(header.rest);
        addOpsets(header.opsets);
        for (const auto& [key, value] : header.metadata)
            m_hash.addText(key).addText(value);
        for (const GraphId function : header.functions)
            m_hash.add(function.index);
        for (const TrainingInfo& info : header.trainingInfos) {
            m_hash.add(info.initialization.index).add(info.algorithm.index).addText(info.rest);
        }
    }

    void addTensor(const Tensor& tensor) {
        m_hash.add(tensor.type)
            .add(tensor.encoding)
            .add(tensor.typedField)
            .add(tensor.presence)
            .addText(tensor.name)
            .addText(tensor.rest);
        for (const std::int64_t dim : tensor.dims)
            m_hash.add(dim);
        for (const std::string& text : tensor.strings)
            m_hash.addText(text);
        for (const auto& [key, value] : tensor.external)
            m_hash.addText(key).addText(value);
        if (tensor.payload.size <= 256)
            m_hash.add(tensor.payload.data, tensor.payload.size);
        else
            m_hash.add(reinterpret_cast<std::uintptr_t>(tensor.payload.data)).add(tensor.payload.size);
    }

    void addType(const Type& type) {
        for (const Type* at = &type; at; at = at->inner.get()) {
            m_hash.add(at->kind).add(at->element).add(at->hasShape);
            for (const Dim& dim : at->dims)
                m_hash.add(dim.value.value_or(-1)).addText(dim.symbol);
        }
    }

    void addInfo(const ValueInfoPtr& info) {
        m_hash.add(info != nullptr);
        if (!info) return;
        addType(info->type);
        m_hash.addText(info->verbatim).add(info->isListed).add(info->presence);
    }

    void addAttribute(const Attribute& attribute) {
        m_hash.addText(attribute.name)
            .add(attribute.type)
            .add(attribute.presence)
            .addText(attribute.reference)
            .addText(attribute.rest);
        m_hash.add(attribute.value.index());
        std::visit([this](const auto& value) { addAttributeValue(value); }, attribute.value);
    }
    void addAttributeValue(std::monostate) {}
    void addAttributeValue(std::int64_t value) { m_hash.add(value); }
    void addAttributeValue(float value) { m_hash.add(value); }
    void addAttributeValue(const std::string& value) { m_hash.addText(value); }
    void addAttributeValue(const TensorPtr& value) { addTensor(*value); }
    void addAttributeValue(GraphId value) { m_hash.add(value.index); }
    template <class T> void addAttributeValue(const std::vector<T>& values) {
        m_hash.add(values.size());
        for (const T& value : values)
            addAttributeValue(value);
    }

    void addNode(NodeId id) {
        const Node& node = m_model.node(id);
        m_hash.add(id.index).add(node.presence);
        for (const Symbol symbol : {node.op, node.domain, node.overload, node.name, node.rest})
            addText(symbol);
        for (const Attribute& attribute : m_model.attributes(id))
            addAttribute(attribute);
        for (const ValueId input : m_model.inputs(id))
            m_hash.add(input.index);
        m_hash.add(node.operandCount);
        for (const ValueId output : m_model.outputs(id))
            m_hash.add(output.index);
    }

    void addHeaderOf(const GraphHeader& header) {
        m_hash.addText(header.name)
            .addText(header.docString)
            .addText(header.rest)
            .addText(header.domain)
            .addText(header.overload)
            .add(header.presence);
        addOpsets(header.opsets);
        for (const std::string& name : header.attributeNames)
            m_hash.addText(name);
        for (const Attribute& attribute : header.attributeDefaults)
            addAttribute(attribute);
        for (const QuantizationAnnotation& annotation : header.quantization) {
            m_hash.add(annotation.tensor.index).addText(annotation.rest);
            for (const auto& [key, value] : annotation.parameters)
                m_hash.addText(key).add(value.index);
        }
    }

    void addGraph(GraphId id) {
        const Graph& graph = m_model.graph(id);
        m_hash.add(graph.kind).add(graph.parent.index).add(graph.parentNode.index).add(graph.nodeCount);
        addHeaderOf(*graph.header);
        for (const OutputSlot& slot : *graph.outputs) {
            addText(slot.name);
            addInfo(slot.info);
        }
        for (const ValueId value : graph.initializers)
            m_hash.add(value.index);
        m_hash.add(graph.initializers.size()).add(graph.sparseInitializers.size());
        for (const ValueId value : graph.sparseInitializers)
            m_hash.add(value.index);
        for (const ValueId value : graph.valueInfos)
            m_hash.add(value.index);
        addNode(graph.entry);
        for (const NodeId node : m_model.nodes(id))
            addNode(node);
        addNode(graph.exit);
    }

    void addValue(ValueId id) {
        const Value& value = m_model.value(id);
        addText(value.name);
        m_hash.add(value.producer.index).add(value.resultIndex).add(value.graph.index).add(value.isErased);
        if (value.tensor) addTensor(*value.tensor);
        addInfo(value.info);
        for (const Use use : m_model.uses(id))
            m_hash.add(use.node.index).add(use.slot);
    }

    const Model& m_model;
    StreamHash m_hash;
};

/// Values are hashed by what computes them, in program order, so names and ids never enter.
class StructuralHasher {
  public:
    explicit StructuralHasher(const Model& model) : m_model(model), m_values(model.valueIdCount(), 0) {}

    std::uint64_t run() {
        std::uint64_t hash = 0;
        const auto graphs = allGraphs(m_model);
        m_graphs.assign(m_model.graphIdCount(), 0);
        for (const GraphId graph : graphs)
            seedInputs(graph);
        // Outer graphs come first; bodies are hashed when the node that holds them is, through hashBody.
        for (const GraphId graph : graphs) {
            if (m_model.graph(graph).kind != GraphKind::subgraph) hash = hashCombine(hash, hashGraph(graph));
        }
        return hash;
    }

  private:
    void seedInputs(GraphId graph) {
        std::uint64_t position = 1;
        for (const ValueId input : m_model.graphInputs(graph)) {
            if (!input.isNone()) m_values[input.index] = hashCombine(0x696e, position++);
        }
        for (const ValueId value : m_model.graph(graph).initializers) {
            if (!m_model.isGraphInput(value))
                m_values[value.index] = tensorHash(*m_model.value(value).tensor);
        }
    }

    static std::uint64_t tensorHash(const Tensor& tensor) {
        StreamHash hash;
        hash.add(tensor.type);
        for (const std::int64_t dim : tensor.dims)
            hash.add(dim);
        const auto count = tensor.elementCount();
        if (count && *count <= 64) {
            for (const std::string& text : tensor.strings)
                hash.addText(text);
            if (const auto raw = rawBytes(tensor)) hash.add(raw->data, raw->size);
        }
        return hash.digest();
    }

    std::uint64_t attributeHash(const Attribute& attribute) {
        StreamHash hash;
        hash.addText(attribute.name).addText(attribute.reference).addText(attribute.rest).add(attribute.type);
        std::visit([&](const auto& value) { addTo(hash, value); }, attribute.value);
        return hash.digest();
    }
    void addTo(StreamHash&, std::monostate) {}
    void addTo(StreamHash& hash, std::int64_t value) { hash.add(value); }
    void addTo(StreamHash& hash, float value) { hash.add(value); }
    void addTo(StreamHash& hash, const std::string& value) { hash.addText(value); }
    void addTo(StreamHash& hash, const TensorPtr& value) { hash.add(tensorHash(*value)); }
    void addTo(StreamHash& hash, GraphId value) { hash.add(m_graphs[value.index]); }
    template <class T> void addTo(StreamHash& hash, const std::vector<T>& values) {
        hash.add(values.size());
        for (const T& value : values)
            addTo(hash, value);
    }

    std::uint64_t nodeHash(NodeId id) {
        StreamHash hash;
        const std::string_view domain = m_model.isDefaultDomain(id) ? std::string_view() : m_model.domain(id);
        hash.addText(m_model.op(id)).addText(domain).addText(m_model.text(m_model.node(id).overload));
        std::vector<std::uint64_t> attributes; // their order says nothing
        for (const Attribute& attribute : m_model.attributes(id))
            attributes.push_back(attributeHash(attribute));
        std::sort(attributes.begin(), attributes.end());
        for (const std::uint64_t attribute : attributes)
            hash.add(attribute);
        for (const ValueId input : m_model.inputs(id))
            hash.add(input.isNone() ? 0 : m_values[input.index]);
        for (const ValueId output : m_model.outputs(id))
            hash.add(output.isNone());
        return hash.digest();
    }

    /// Hashes a graph and the bodies inside it without recursion: a node with bodies is finished after them.
    std::uint64_t hashGraph(GraphId root) {
        struct Open {
            GraphId graph;
            NodeId at;
            std::uint64_t sum = 0; // order of independent nodes says nothing
            std::size_t nextBody = 0;
        };
        std::vector<Open> stack{{root, m_model.graph(root).head}};
        while (true) {
            if (stack.back().at.isNone()) {
                const std::uint64_t done = finish(stack.back().graph, stack.back().sum);
                m_graphs[stack.back().graph.index] = done;
                stack.pop_back();
                if (stack.empty()) return done;
                continue;
            }
            Open& open = stack.back();
            const auto bodies =
                m_model.node(open.at).attributes ? m_model.subgraphs(open.at) : std::vector<GraphId>{};
            if (open.nextBody < bodies.size()) {
                const GraphId body = bodies[open.nextBody++];
                stack.push_back({body, m_model.graph(body).head});
                continue;
            }
            const std::uint64_t hash = nodeHash(open.at);
            open.sum += mixBits(hash);
            for (std::size_t i = 0; i < m_model.node(open.at).resultCount; ++i) {
                const ValueId result = m_model.output(open.at, i);
                if (!result.isNone()) m_values[result.index] = hashCombine(hash, i + 1);
            }
            open.at = m_model.node(open.at).next;
            open.nextBody = 0;
        }
    }

    std::uint64_t finish(GraphId graph, std::uint64_t sum) const {
        std::uint64_t hash = hashCombine(sum, m_model.graphInputs(graph).size());
        for (const ValueId output : m_model.graphOutputs(graph)) {
            hash = hashCombine(hash, output.isNone() ? 0 : m_values[output.index]);
        }
        return hash;
    }

    const Model& m_model;
    std::vector<std::uint64_t> m_values, m_graphs;
};

} // namespace

std::uint64_t exactHash(const Model& model) {
    return ExactHasher(model).run();
}

std::uint64_t structuralHash(const Model& model) {
    return StructuralHasher(model).run();
}

} // namespace secateur
