// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"
#include "core/onnx/byte_source.h"
#include "core/onnx/value_info_wire.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace secateur {

/// What a graph says by name about values, to be resolved when all its nodes are known.
struct UnresolvedGraph {
    std::vector<std::string_view> outputs; ///< ValueInfoProtos; of a function the bare names
    std::vector<std::string_view> valueInfos;
    std::vector<std::string_view> annotations; ///< TensorAnnotations
    GraphHeader header;                        ///< without the annotations
};

/// Turns the names that nodes read into value ids. A reader gets the definition that comes before it, in its
/// own graph first and then in those around it; where none comes before, the last one of the graph (the file
/// is not sorted); where there is none at all, a value that nobody makes.
class NameResolver {
  public:
    NameResolver(Editor& editor, ByteSource& source, ValueInfoReader& infos)
        : m_editor(editor), m_source(source), m_infos(infos) {}

    /// Notes an input of the node that is being read; nodes are read one after another, bodies after their
    /// node.
    void addInput(Symbol name) { m_inputs.push_back(name); }
    [[nodiscard]] std::size_t inputCount() const { return m_inputs.size(); }
    /// The inputs noted from `begin` on are those of `node`.
    void closeInputs(NodeId node, std::size_t begin);
    /// An attribute of `node` holds a graph.
    void noteBody(NodeId node) { m_ofNode[node.index].hasBodies = true; }
    [[nodiscard]] UnresolvedGraph& graph(GraphId id);

    /// Resolves `root` and all graphs in it; its own definitions stay visible until `forget`.
    void resolve(GraphId root) { resolveGraph(root); }
    void forget() { rollBack(0); }

    [[nodiscard]] std::uint64_t metadataBytes() const { return m_metadataBytes; }

  private:
    struct NodeInputs {
        std::uint32_t begin = 0, count = 0;
        bool hasBodies = false;
    };

    void resolveGraph(GraphId id);
    void defineAll(GraphId id);
    void resolveNode(GraphId graph, NodeId node);
    void resolveOutputs(GraphId id, UnresolvedGraph& graph);
    void resolveInfos(GraphId id, const UnresolvedGraph& graph);
    void resolveAnnotations(GraphId id, UnresolvedGraph& graph);
    [[nodiscard]] ValueId current(Symbol name) const {
        return name.index < m_current.size() ? m_current[name.index] : ValueId();
    }
    ValueId read(GraphId graph, Symbol name);
    ValueId mentioned(GraphId graph, std::string_view name);
    void define(Symbol name, ValueId value);
    void rollBack(std::size_t mark);

    Editor& m_editor;
    ByteSource& m_source;
    ValueInfoReader& m_infos;
    std::vector<Symbol> m_inputs;
    std::vector<NodeInputs> m_ofNode;      // by node id
    std::vector<UnresolvedGraph> m_graphs; // by graph id
    std::vector<ValueId> m_current;        // by symbol: what the name stands for here
    std::vector<std::pair<Symbol, ValueId>> m_undo;
    std::vector<ValueId> m_operands; // scratch of resolveNode
    std::uint64_t m_metadataBytes = 0;
};

} // namespace secateur
