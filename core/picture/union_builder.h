// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/equal_values.h"
#include "core/picture/input_labels.h"
#include "core/picture/telling_names.h"
#include "core/picture/union_graph.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace secateur {

/// The work of buildUnionGraph: walks the moments of a history and adds what each shows for the first time.
class UnionBuilder {
  public:
    UnionBuilder(const Original& original, History* history, GraphId graph);
    [[nodiscard]] UnionGraph build();

  private:
    /// What becomes of a node of the main graph in the picture.
    enum class Drawn : std::uint8_t { no, asNode, asRow };

    void addMoment(const Model& model, const TypeTable& types, std::uint32_t step);
    void addInputs(const Model& model, const TypeTable& types, std::uint32_t step);
    void addInput(const Model& model, const TypeTable& types, ValueId value, std::uint32_t step);
    void addCaptures(const Model& model, const TypeTable& types, std::uint32_t step);
    void addOutputs(const Model& model, std::uint32_t step);
    void addNodes(const Model& model, const TypeTable& types, std::uint32_t step);
    void addEdges(const Model& model, const TypeTable& types);
    void addEdge(const Model& model, const TypeTable& types, ValueId value, std::uint32_t to,
                 std::uint32_t slot, bool isCapture);
    void noteErased(const Model& model, std::uint32_t step);
    void decideFolding(const Model& model, const TypeTable& types);
    [[nodiscard]] bool isShapeArithmetic(const Model& model, const TypeTable& types, NodeId node) const;
    [[nodiscard]] bool isSmall(const Model& model, const TypeTable& types, NodeId node) const;
    [[nodiscard]] bool isConstantFill(const Model& model, NodeId node) const;
    [[nodiscard]] bool allReadersFold(const Model& model, NodeId node) const;
    void foldRows(const Model& model);
    void foldInto(const Model& model, NodeId last, std::uint32_t host, std::uint32_t row);
    void foldRest(const Model& model);
    void listFolded();
    [[nodiscard]] NodeId hostOf(const Model& model, NodeId node) const;
    /// What a node says at a moment; its key, role and places in the picture are left open.
    [[nodiscard]] NodeFace faceOfNode(const Model& model, const TypeTable& types, NodeId id);
    [[nodiscard]] NodeFace faceOfInput(const Model& model, const TypeTable& types, ValueId value) const;
    void addRows(const Model& model, const TypeTable& types, NodeId id, NodeFace& face);
    /// Notes what has changed in what the nodes say and mean since the moment before.
    void noteChanges(const Model& model, const TypeTable& types, std::uint32_t step);
    void noteChange(std::uint32_t node, std::uint32_t step, std::uint64_t meaning, NodeFace face);
    /// The types at the end of the steps have forgotten the values that are gone by then.
    [[nodiscard]] const TypeTable& knowing(const TypeTable& types, ValueId value) const {
        return types.type(value).kind == Type::Kind::none ? m_original.types : types;
    }
    void collectWeightNames(const Model& model);
    void addWeightRow(const Model& model, const TypeTable& types, ValueId value, std::string_view label,
                      NodeFace& face) const;
    [[nodiscard]] LayoutRow chipOf(const Model& model, const TypeTable& types, ValueId value,
                                   std::string_view label) const;
    [[nodiscard]] const char* sourceOf(const Model& model, NodeId last) const;
    void addAttributeRows(const Model& model, NodeId id, NodeFace& face) const;
    void addReplacements();
    void addTwins();
    void addHomes();
    /// Texts that may tell where in the network a node stands.
    struct NameHints {
        std::string node, parameter, scope;
    };
    std::uint32_t addNode(LayoutNode node, std::uint32_t step, NameHints names);
    /// What a node was last seen to say, by prints.
    struct Said {
        std::uint64_t print = 0;
        std::uint64_t meaning = 0;
        std::uint32_t moment = kNoIndex; ///< the latest of UnionGraph::moments
    };
    [[nodiscard]] EdgeClass classOf(std::uint32_t from, std::uint32_t to) const;
    [[nodiscard]] Drawn drawn(NodeId node) const {
        return node.index < m_drawn.size() ? m_drawn[node.index] : Drawn::no;
    }

    const Original& m_original;
    History* m_history;
    const RoleTable& m_roles;
    GraphId m_graph;
    UnionGraph m_out;
    std::vector<Drawn> m_drawn;                                 ///< by NodeId index
    std::vector<std::uint8_t> m_isShape;                        ///< by NodeId index
    std::unordered_map<std::uint32_t, std::uint32_t> m_indexOf; ///< key -> node index
    std::unordered_map<std::string, std::uint32_t> m_outputOf;  ///< output name -> number
    /// Where a hidden node went: NodeId index of its host and the row that shows it.
    struct Chip {
        std::uint32_t host = kNoIndex;
        std::uint32_t row = kNoIndex;
    };
    std::unordered_map<std::uint32_t, Chip> m_folded;            ///< by NodeId index
    std::unordered_map<std::uint64_t, std::uint32_t> m_edgeFrom; ///< edge -> the last node it came from
    EqualValues m_equal;
    InputLabels m_labels;
    TellingNames m_weightNames; ///< of the original
    std::vector<Said> m_said;   ///< by node index
    std::uint32_t m_order = 0;
};

} // namespace secateur
