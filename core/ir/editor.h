// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// What a new node is to be. `outputs` are the names of the results to make; "" leaves a slot omitted.
struct NodeSpec {
    std::string op;
    std::string domain;
    std::string name;
    std::vector<ValueId> inputs;
    std::vector<std::string> outputs;
    AttributeList attributes;
};

/// The only writer of a Model: every change goes through here and into the model's journal. References into
/// the model (Node&, Value&) do not survive a call; ids do. Preconditions are programmer errors and are
/// asserted.
class Editor {
  public:
    explicit Editor(Model& model) : m_model(model) {}

    [[nodiscard]] const Model& model() const { return m_model; }

    // --- nodes ---
    /// A new node in `graph`, before `before` (at the end when none).
    NodeId createNode(GraphId graph, const NodeSpec& spec, NodeId before = {});
    /// Removes a node whose results nobody reads, with its results and everything in its bodies.
    void eraseNode(NodeId id);
    /// The same for nodes whose results only they themselves read, in whatever order and around in circles.
    void eraseNodes(std::span<const NodeId> nodes);
    /// Moves a node, results included, within its graph or to another one.
    void moveNode(NodeId id, GraphId graph, NodeId before = {});
    void setOperator(NodeId id, std::string_view op, std::string_view domain = {},
                     std::string_view overload = {});
    void setNodeName(NodeId id, std::string_view name);
    /// Replaces the serialized remainder of a node (doc string, metadata, unknown fields).
    void setNodeRest(NodeId id, std::string_view rest);
    void setAttributes(NodeId id, AttributeList attributes);
    /// Adds the attribute, or puts it in the place of the one of the same name.
    void setAttribute(NodeId id, Attribute attribute);
    void removeAttribute(NodeId id, std::string_view name);

    // --- data flow ---
    /// Fills one input slot (none omits it), adding omitted slots before it where needed.
    void setInput(NodeId id, std::size_t slot, ValueId value);
    void setInputs(NodeId id, std::span<const ValueId> values);
    void setInputs(NodeId id, std::initializer_list<ValueId> values) {
        setInputs(id, std::span(values.begin(), values.size()));
    }
    /// Gives the node exactly these results. New ones must have no producer; results left out must be unread
    /// and are erased.
    void setOutputs(NodeId id, std::span<const ValueId> values);
    void setOutputs(NodeId id, std::initializer_list<ValueId> values) {
        setOutputs(id, std::span(values.begin(), values.size()));
    }
    /// Lets `node` make `value` in result slot `slot`, instead of the operation that made it: how one node
    /// takes the place of another. Readers, name and declared type stay with the value. A result that stood
    /// in the slot goes; its readers, none of them an output, read `value`. Both nodes are in one graph, and
    /// the new maker stands before all readers. The old maker must be erased next: as all erased nodes do,
    /// it goes on to say what it once made.
    void takeResult(NodeId node, std::size_t slot, ValueId value);
    /// Lets every reader of `old` read `with` instead, outputs of graphs of any level included: an output
    /// keeps its name, by swapping the names of the two values where `with` may take it, else through an
    /// Identity. False when a use had to stay: an output that is itself an input of its graph and carries its
    /// name. `with` must be visible wherever `old` is read.
    bool replace(ValueId old, ValueId with);

    // --- values ---
    /// A value without producer, for setOutputs or setGraphInputs.
    ValueId createValue(GraphId graph, std::string_view name);
    ValueId createInitializer(GraphId graph, std::string_view name, TensorPtr tensor);
    /// Gives a value contents (an input then has a default), or takes them away (null).
    void setTensor(ValueId id, TensorPtr tensor);
    void setInfo(ValueId id, ValueInfoPtr info);
    void rename(ValueId id, std::string_view name);
    /// Removes an unread value that no node produces: an initializer or a dangling name.
    void eraseValue(ValueId id);
    /// A name that no value of the model has ever had: `hint` itself where that is so, else `hint_1`,
    /// `hint_2` ...
    [[nodiscard]] std::string freshName(std::string_view hint);

    // --- graphs and model ---
    /// A new graph with entry and exit. `parent` is the graph around it (none for functions).
    GraphId createGraph(GraphKind kind, GraphId parent = {});
    void setGraphParent(GraphId id, GraphId parent, NodeId parentNode);
    void setGraphHeader(GraphId id, GraphHeader header);
    void setModelHeader(ModelHeader header);
    /// Gives the graph exactly these inputs. Inputs left out must be unread, and are erased, or have a
    /// tensor, and become plain initializers.
    void setGraphInputs(GraphId id, std::span<const ValueId> values);
    /// Gives the graph exactly these outputs; `slots` names and declares them.
    void setGraphOutputs(GraphId id, std::span<const ValueId> values, std::vector<OutputSlot> slots);
    void appendGraphOutput(GraphId id, ValueId value, std::string_view name, ValueInfoPtr info = {});
    [[nodiscard]] Symbol intern(std::string_view text);

    // --- for loading ---
    /// Makes room in the arenas.
    void reserve(std::size_t nodes, std::size_t values, std::size_t operands);
    /// A node at the end of `graph` from strings that are interned already, without operands and results.
    NodeId appendNode(GraphId graph, Symbol op, Symbol domain, Symbol overload, Symbol name, Symbol rest);
    ValueId createValue(GraphId graph, Symbol name);
    /// Gives a node a list of attributes that it may share with others.
    void shareAttributes(NodeId id, AttributeListPtr attributes);
    /// Lists a value (an input with a default) among the initializers.
    void appendInitializer(GraphId graph, ValueId value);
    /// Which fields of a node the file gives though they are empty (presence bits of the loader).
    void setPresence(NodeId id, std::uint8_t presence);
    /// Lists a value in value_info; what is said of it is its ValueInfo.
    void listValueInfo(GraphId id, ValueId value);
    /// Lists a value whose tensor is sparse among the sparse initializers.
    void listSparseInitializer(GraphId id, ValueId value);

  private:
    void link(NodeId id, GraphId graph, NodeId before);
    void setOperand(OperandId id, ValueId value);
    void clearInputs(NodeId id);
    void setResults(NodeId id, std::span<const ValueId> values);
    void setNodeSymbol(NodeId id, std::uint8_t field, Symbol old, Symbol now);
    void setProducer(ValueId id, NodeId node, std::uint32_t index);
    void setErased(ValueId id);
    void setValueGraph(ValueId id, GraphId graph);
    NodeId pushNode(GraphId graph, NodeKind kind);
    void eraseBodies(NodeId id);
    void eraseOne(NodeId id);
    bool replaceOutput(Use use, ValueId old, ValueId with);
    void renameOutputSlot(GraphId graph, std::size_t slot, std::string_view name);
    [[nodiscard]] bool canTakeOutputName(ValueId value, GraphId graph) const;
    void noteName(Symbol name);

    Model& m_model;
    std::vector<bool> m_takenNames; // by symbol; filled by the first freshName
    bool m_hasTakenNames = false;
};

} // namespace secateur
