// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"
#include "core/ir/verifier.h"
#include "core/onnx/byte_source.h"
#include "core/onnx/external_data.h"
#include "core/onnx/name_resolver.h"
#include "core/onnx/value_info_wire.h"
#include "core/onnx/wire.h"
#include "core/onnx/wire_schema.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

#include <exception>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace secateur {

/// Builds a Model from the bytes of a ModelProto by walking them once. Tensors stay ranges of the source,
/// nothing keeps a message. Names are resolved when all nodes of a graph are known, since files are not
/// always sorted.
class ModelReader {
  public:
    ModelReader(ByteSource& source, ExternalFiles& external, const WorkContext& work);

    /// Fails with InvalidInput on bytes that are no ModelProto, and on one without a graph.
    Result<Model> read();

    [[nodiscard]] std::vector<Problem> takeProblems() { return std::move(m_problems); }
    /// Bytes of doc strings and metadata of nodes and values.
    [[nodiscard]] std::uint64_t metadataBytes() const { return m_metadataBytes + m_resolver.metadataBytes(); }

  private:
    struct Cancelled {};
    struct GraphFields;
    struct AttributeFields;
    /// Where the reader is, for messages.
    struct Place {
        const char* field;
        std::size_t index;
        const char* start;
    };

    /// Marks where the reader is for as long as it lives.
    class Enter {
      public:
        Enter(ModelReader& reader, const char* field, std::size_t index, std::string_view bytes)
            : m_places(reader.m_places) {
            m_places.push_back({field, index, bytes.data()});
        }
        // On an exception the place is kept: it is what the message names.
        ~Enter() {
            if (std::uncaught_exceptions() == 0) m_places.pop_back();
        }
        Enter(const Enter&) = delete;
        Enter& operator=(const Enter&) = delete;

      private:
        std::vector<Place>& m_places;
    };

    void readModel();
    void readModelHeader(std::string_view rest, const std::vector<std::string_view>& opsets,
                         std::string metadata);
    void readTrainingInfos(const std::vector<std::string_view>& infos);
    void readFunction(std::string_view bytes);
    void readFunctionField(const wire::Field& field, GraphId id, GraphHeader& header, GraphFields& fields,
                           std::string& rest);
    GraphId readNewGraph(GraphKind kind, GraphId parent, NodeId node, std::string_view bytes);
    void readGraph(GraphId id, std::string_view bytes);
    void readContents(GraphId id, GraphFields& fields);
    std::unordered_map<std::uint32_t, ValueId> readInputs(GraphId id, const GraphFields& fields);
    void readInitializers(GraphId id, const GraphFields& fields,
                          const std::unordered_map<std::uint32_t, ValueId>& inputs);
    void addInitializer(GraphId id, Tensor tensor, const std::unordered_map<std::uint32_t, ValueId>& inputs);
    void readNodes(GraphId id, const std::vector<std::string_view>& nodes);
    void readNode(GraphId graph, std::string_view bytes);
    void readAttributes(NodeId node, std::size_t begin, std::string_view inARow);
    Attribute readAttribute(std::string_view bytes, GraphId graph, NodeId node);
    void readAttributeField(const wire::Field& field, AttributeFields& fields);
    void readValue(std::string_view bytes, std::uint32_t chosen, const AttributeFields& fields,
                   Attribute& out, GraphId graph, NodeId node);
    TensorPtr readAttributeTensor(std::string_view bytes, const std::string& name);
    std::vector<OpsetImport> readOpsets(const std::vector<std::string_view>& opsets);
    /// A singular message that is given twice counts as both in a row.
    void join(std::string_view& have, std::string_view more);
    /// `bytes` as protobuf would write them.
    std::string canonical(wire::Message message, std::string bytes);
    [[nodiscard]] Error describe(const wire::Malformed& malformed) const;
    [[nodiscard]] std::string placeText() const;
    void checkCancelled(std::size_t done, std::size_t total);

    ByteSource& m_source;
    ExternalFiles& m_external;
    const WorkContext& m_work;
    Model m_model;
    Editor m_editor;
    ValueInfoReader m_infos;
    NameResolver m_resolver;
    std::vector<Problem> m_problems;
    std::vector<Place> m_places;
    std::vector<std::string_view> m_attributeSpans; // of the nodes being read, innermost last
    std::vector<ValueId> m_results;                 // scratch of readNode
    std::string m_rest, m_attributes;               // scratch of readNode
    std::unordered_map<std::string_view, AttributeListPtr> m_knownAttributes; // small lists by their bytes
    std::uint64_t m_metadataBytes = 0;
    std::size_t m_nodesRead = 0;
    unsigned m_depth = 0;
};

} // namespace secateur
