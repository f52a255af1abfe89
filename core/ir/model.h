// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/attribute.h"
#include "core/ir/ids.h"
#include "core/ir/string_pool.h"
#include "core/ir/tensor.h"
#include "core/ir/type.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace secateur {

class Journal;

/// Each graph has one entry, whose results are the graph's inputs, and one exit, whose operands are its
/// outputs.
enum class NodeKind : std::uint8_t { operation, entry, exit };

/// One operator call. Reached through Model, changed through Editor. Erased nodes stay readable (with no
/// operands).
struct Node {
    Symbol op, domain, overload, name;
    Symbol rest; ///< serialized NodeProto with the modelled fields left out (doc, metadata, unknown)
    AttributeListPtr attributes;
    GraphId graph;
    NodeId prev, next;       ///< neighbours in program order; none for entry and exit
    std::uint64_t order = 0; ///< grows along the list; compare through Model::isBefore
    std::uint32_t operandBegin = 0, operandCount = 0;
    std::uint32_t resultBegin = 0, resultCount = 0;
    NodeKind kind = NodeKind::operation;
    std::uint8_t presence = 0; ///< presence bits of the loader
    bool isErased = false;
};

/// A ValueInfoProto: the type that the file declares for a value, and all else it says about it.
struct ValueInfo {
    Type type;
    std::string
        verbatim; ///< serialized ValueInfoProto without its name; what saving writes when it is not empty
    bool isListed = false;     ///< also stands in the graph's value_info list
    std::uint8_t presence = 0; ///< presence bits of the loader
};
using ValueInfoPtr = std::shared_ptr<const ValueInfo>;

/// One value of a graph: a result of a node, a graph input (a result of the entry) or an initializer.
struct Value {
    NodeId producer; ///< none for an initializer, and for a name that only value_info mentions
    std::uint32_t resultIndex = 0;
    std::uint32_t useCount = 0;
    OperandId firstUse, lastUse;
    Symbol name;
    GraphId graph;     ///< the graph that owns it; a use in another graph is a capture
    TensorPtr tensor;  ///< set for initializers (also those that are graph inputs, too)
    ValueInfoPtr info; ///< declared type, of an input or from value_info
    bool isErased = false;
};

/// One input slot of a node; slots of a node are contiguous. Linked into the list of uses of its value.
struct Operand {
    ValueId value;
    NodeId node;
    std::uint32_t slot = 0;
    OperandId prevUse, nextUse;
};

/// A reader of a value.
struct Use {
    NodeId node;
    std::uint32_t slot = 0;
    friend bool operator==(Use, Use) = default;
};

enum class GraphKind : std::uint8_t { main, subgraph, function, trainingInitialization, trainingAlgorithm };

/// What a graph output is called and declared as. The name belongs to the slot, not to the value that fills
/// it.
struct OutputSlot {
    Symbol name;
    ValueInfoPtr info;
};

struct OpsetImport {
    std::string domain; ///< "" is ai.onnx
    std::int64_t version = 0;
    std::string rest; ///< presence-preserving serialized OperatorSetIdProto when it is not plain
    friend bool operator==(const OpsetImport&, const OpsetImport&) = default;
};

/// quantization_annotation of a graph: the tensor and the values that quantize it are kept as ids.
struct QuantizationAnnotation {
    ValueId tensor;
    std::vector<std::pair<std::string, ValueId>> parameters;
    std::string rest;
};

/// The parts of a graph that are not nodes and values. Shared and never changed in place.
struct GraphHeader {
    std::string name, docString;
    std::vector<QuantizationAnnotation> quantization;
    std::string rest; ///< serialized GraphProto (or FunctionProto) with the modelled fields left out
    std::uint8_t presence = 0;
    // Functions only:
    std::string domain, overload;
    std::vector<OpsetImport> opsets;
    std::vector<std::string> attributeNames; ///< attributes without a default
    AttributeList attributeDefaults;         ///< attribute_proto
};
using GraphHeaderPtr = std::shared_ptr<const GraphHeader>;

struct Graph {
    GraphKind kind = GraphKind::main;
    NodeId entry, exit;
    NodeId head, tail;           ///< first and last operation in program order
    NodeId parentNode;           ///< subgraphs: the control-flow node that holds it
    GraphId parent;              ///< subgraphs: the graph of that node; training graphs: the main graph
    std::uint32_t nodeCount = 0; ///< operations in the list, without those of subgraphs
    GraphHeaderPtr header;
    std::shared_ptr<const std::vector<OutputSlot>> outputs; ///< parallel to the operands of `exit`
    std::vector<ValueId> initializers;                      ///< file order; erased values are skipped
    std::vector<ValueId> sparseInitializers;
    std::vector<ValueId> valueInfos; ///< values listed in value_info, file order; erased ones are skipped
};

/// training_info of a model.
struct TrainingInfo {
    GraphId initialization, algorithm; ///< none where the message has none
    std::string rest;                  ///< serialized TrainingInfoProto without the two graphs (the bindings)
};

/// The parts of a model outside its graphs. Shared and never changed in place.
struct ModelHeader {
    std::int64_t irVersion = 0;
    bool hasIrVersion = true;
    std::vector<OpsetImport> opsets;
    std::string producerName, producerVersion, domain, docString; ///< read only: `rest` is what saving writes
    std::vector<std::pair<std::string, std::string>> metadata;
    std::string
        rest; ///< serialized ModelProto without ir_version, opset_import, metadata_props, graphs, functions
    std::vector<GraphId> functions;
    std::vector<TrainingInfo> trainingInfos;
};
using ModelHeaderPtr = std::shared_ptr<const ModelHeader>;

/// The value ids in the input slots of a node; an omitted optional input is the none id.
class InputRange {
  public:
    class Iterator {
      public:
        using value_type = ValueId;
        using difference_type = std::ptrdiff_t;
        explicit Iterator(const Operand* at = nullptr) : m_at(at) {}
        ValueId operator*() const { return m_at->value; }
        Iterator& operator++() {
            ++m_at;
            return *this;
        }
        Iterator operator++(int) { return Iterator(m_at++); }
        friend bool operator==(Iterator, Iterator) = default;

      private:
        const Operand* m_at;
    };
    explicit InputRange(std::span<const Operand> operands) : m_operands(operands) {}
    [[nodiscard]] Iterator begin() const { return Iterator(m_operands.data()); }
    [[nodiscard]] Iterator end() const { return Iterator(m_operands.data() + m_operands.size()); }
    [[nodiscard]] std::size_t size() const { return m_operands.size(); }
    [[nodiscard]] bool empty() const { return m_operands.empty(); }
    ValueId operator[](std::size_t slot) const { return m_operands[slot].value; }

  private:
    std::span<const Operand> m_operands;
};

class Model;

/// The readers of a value in the order in which they began to read it.
class UseRange {
  public:
    class Iterator {
      public:
        using value_type = Use;
        using difference_type = std::ptrdiff_t;
        Iterator() = default;
        Iterator(const Operand* operands, OperandId at) : m_operands(operands), m_at(at) {}
        Use operator*() const { return {m_operands[m_at.index].node, m_operands[m_at.index].slot}; }
        Iterator& operator++() {
            m_at = m_operands[m_at.index].nextUse;
            return *this;
        }
        Iterator operator++(int) {
            Iterator old = *this;
            ++*this;
            return old;
        }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.m_at == b.m_at; }

      private:
        const Operand* m_operands = nullptr;
        OperandId m_at;
    };
    UseRange(const Operand* operands, OperandId first) : m_operands(operands), m_first(first) {}
    [[nodiscard]] Iterator begin() const { return {m_operands, m_first}; }
    [[nodiscard]] Iterator end() const { return {m_operands, OperandId()}; }
    [[nodiscard]] bool empty() const { return m_first.isNone(); }

  private:
    const Operand* m_operands;
    OperandId m_first;
};

/// The operations of a graph in program order. Erasing the current node while iterating is allowed.
class NodeRange {
  public:
    class Iterator {
      public:
        using value_type = NodeId;
        using difference_type = std::ptrdiff_t;
        Iterator() = default;
        Iterator(const Model* model, NodeId at) : m_model(model), m_at(at) {}
        NodeId operator*() const { return m_at; }
        Iterator& operator++();
        Iterator operator++(int) {
            Iterator old = *this;
            ++*this;
            return old;
        }
        friend bool operator==(const Iterator& a, const Iterator& b) { return a.m_at == b.m_at; }

      private:
        const Model* m_model = nullptr;
        NodeId m_at;
    };
    NodeRange(const Model* model, NodeId head) : m_model(model), m_head(head) {}
    [[nodiscard]] Iterator begin() const { return {m_model, m_head}; }
    [[nodiscard]] Iterator end() const { return {m_model, NodeId()}; }

  private:
    const Model* m_model;
    NodeId m_head;
};

/// An ONNX model as arenas of nodes, values, operands and graphs addressed by ids. Ids are never reused while
/// the journal holds the edit that made them; unwinding the journal gives the same ids to a replay. Reading
/// is free and thread-safe while nobody edits. Editor is the only writer; every change is in the journal.
class Model {
  public:
    Model();
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;
    Model(Model&&) noexcept;
    Model& operator=(Model&&) noexcept;
    ~Model();

    /// A copy with an empty journal; ids are the same, tensors and strings are shared.
    [[nodiscard]] Model clone() const;

    // --- model ---
    [[nodiscard]] const ModelHeader& header() const { return *m_header; }
    [[nodiscard]] GraphId mainGraph() const { return GraphId(0U); }
    /// Version of the opset that `domain` ("" or "ai.onnx" for the default) is imported at in the scope of
    /// `graph` (functions have imports of their own); none where it is not imported.
    [[nodiscard]] std::optional<std::int64_t> opsetVersion(std::string_view domain,
                                                           GraphId graph = GraphId(0U)) const;
    [[nodiscard]] std::string_view text(Symbol symbol) const { return m_strings->view(symbol); }
    [[nodiscard]] Symbol findSymbol(std::string_view text) const { return m_strings->find(text); }

    // --- sizes of the arenas: ids run from 0 to count - 1, erased ones included ---
    [[nodiscard]] std::size_t nodeIdCount() const { return m_nodes.size(); }
    [[nodiscard]] std::size_t valueIdCount() const { return m_values.size(); }
    [[nodiscard]] std::size_t graphIdCount() const { return m_graphs.size(); }
    [[nodiscard]] std::size_t operandIdCount() const { return m_operands.size(); }
    /// One input slot, as edits of the journal name it.
    [[nodiscard]] const Operand& operand(OperandId id) const { return m_operands[id.index]; }

    // --- graphs ---
    [[nodiscard]] const Graph& graph(GraphId id) const { return m_graphs[id.index]; }
    [[nodiscard]] NodeRange nodes(GraphId id) const { return {this, graph(id).head}; }
    [[nodiscard]] std::span<const ValueId> graphInputs(GraphId id) const { return outputs(graph(id).entry); }
    [[nodiscard]] InputRange graphOutputs(GraphId id) const { return inputs(graph(id).exit); }
    /// Is `inner` the graph `outer`, or nested in it at any depth?
    [[nodiscard]] bool isInside(GraphId inner, GraphId outer) const;

    // --- nodes ---
    [[nodiscard]] const Node& node(NodeId id) const { return m_nodes[id.index]; }
    [[nodiscard]] bool isAlive(NodeId id) const {
        return id.index < m_nodes.size() && !m_nodes[id.index].isErased;
    }
    [[nodiscard]] std::string_view op(NodeId id) const { return text(node(id).op); }
    /// Domain as the file has it; "" and "ai.onnx" are both the default domain, see isDefaultDomain.
    [[nodiscard]] std::string_view domain(NodeId id) const { return text(node(id).domain); }
    [[nodiscard]] bool isDefaultDomain(NodeId id) const;
    /// Is this operator `op` of the default domain?
    [[nodiscard]] bool isOp(NodeId id, std::string_view op) const {
        return isDefaultDomain(id) && this->op(id) == op;
    }
    [[nodiscard]] std::string_view name(NodeId id) const { return text(node(id).name); }
    [[nodiscard]] InputRange inputs(NodeId id) const {
        const Node& n = node(id);
        return InputRange(std::span(m_operands.data() + n.operandBegin, n.operandCount));
    }
    [[nodiscard]] std::span<const ValueId> outputs(NodeId id) const {
        const Node& n = node(id);
        return {m_results.data() + n.resultBegin, n.resultCount};
    }
    /// The value in an input slot; none where the slot is omitted or does not exist.
    [[nodiscard]] ValueId input(NodeId id, std::size_t slot) const {
        const Node& n = node(id);
        return slot < n.operandCount ? m_operands[n.operandBegin + slot].value : ValueId();
    }
    /// The value of an output slot; none where it is omitted or does not exist.
    [[nodiscard]] ValueId output(NodeId id, std::size_t slot) const {
        const Node& n = node(id);
        return slot < n.resultCount ? m_results[n.resultBegin + slot] : ValueId();
    }
    [[nodiscard]] const AttributeList& attributes(NodeId id) const;
    [[nodiscard]] const Attribute* attribute(NodeId id, std::string_view name) const {
        return findAttribute(node(id).attributes, name);
    }
    [[nodiscard]] std::int64_t intAttribute(NodeId id, std::string_view name, std::int64_t otherwise) const;
    [[nodiscard]] float floatAttribute(NodeId id, std::string_view name, float otherwise) const;
    [[nodiscard]] std::string_view stringAttribute(NodeId id, std::string_view name,
                                                   std::string_view otherwise) const;
    [[nodiscard]] std::vector<std::int64_t> intsAttribute(NodeId id, std::string_view name) const;
    /// The graphs in the attributes of a node, in attribute order.
    [[nodiscard]] std::vector<GraphId> subgraphs(NodeId id) const;
    /// Does `a` come before `b` in the program order of their (same) graph? Constant time.
    [[nodiscard]] bool isBefore(NodeId a, NodeId b) const { return node(a).order < node(b).order; }
    /// The node of `graph` that is `id` itself or holds it in a body at any depth; none when it is not
    /// inside.
    [[nodiscard]] NodeId ancestorIn(GraphId graph, NodeId id) const;

    // --- values ---
    [[nodiscard]] const Value& value(ValueId id) const { return m_values[id.index]; }
    [[nodiscard]] bool isAlive(ValueId id) const {
        return id.index < m_values.size() && !m_values[id.index].isErased;
    }
    [[nodiscard]] std::string_view name(ValueId id) const { return text(value(id).name); }
    [[nodiscard]] NodeId producer(ValueId id) const { return value(id).producer; }
    [[nodiscard]] UseRange uses(ValueId id) const { return {m_operands.data(), value(id).firstUse}; }
    [[nodiscard]] std::size_t useCount(ValueId id) const { return value(id).useCount; }
    [[nodiscard]] bool hasUses(ValueId id) const { return value(id).useCount != 0; }
    [[nodiscard]] bool isGraphInput(ValueId id) const {
        const NodeId p = value(id).producer;
        return !p.isNone() && node(p).kind == NodeKind::entry;
    }
    /// Does it fill an output slot of any graph? Linear in its uses.
    [[nodiscard]] bool isGraphOutput(ValueId id) const;
    [[nodiscard]] bool isInitializer(ValueId id) const { return value(id).tensor != nullptr; }
    /// The type that the file declares: of the input, of the output slot it fills, or from value_info; kind
    /// none when the file says nothing. What is inferred lives beside the model, see onnx/type_inference.h.
    [[nodiscard]] const Type& declaredType(ValueId id) const;
    /// The value called `name` in `graph` or the graphs around it, by a linear search; for a person's input
    /// only.
    [[nodiscard]] ValueId findValue(std::string_view name, GraphId graph = GraphId(0U)) const;

    [[nodiscard]] const Journal& journal() const { return *m_journal; }
    [[nodiscard]] Journal& journal() { return *m_journal; }

  private:
    friend class Journal;
    friend class Editor;
    friend class ModelBuilder;

    std::shared_ptr<StringPool> m_strings;
    ModelHeaderPtr m_header;
    std::vector<Node> m_nodes;
    std::vector<Value> m_values;
    std::vector<Operand> m_operands;
    std::vector<ValueId> m_results;
    std::vector<Graph> m_graphs;
    std::unique_ptr<Journal> m_journal;
};

inline NodeRange::Iterator& NodeRange::Iterator::operator++() {
    m_at = m_model->node(m_at).next;
    return *this;
}

} // namespace secateur
