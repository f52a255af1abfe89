// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/onnx/wire_writer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace secateur {

/// Where a tensor goes that is not written into the model file.
struct ExternalPlace {
    std::uint64_t offset = 0, length = 0;
};

/// Tensors that are written to one file beside the model.
struct ExternalPlan {
    std::string location;
    std::unordered_map<const Tensor*, ExternalPlace> places;
};

/// Gives a Model to a Writer as protobuf would write the ModelProto: known fields by number, then unknown
/// ones.
class ModelWriter {
  public:
    ModelWriter(const Model& model, wire::Writer& writer, const ExternalPlan& plan)
        : m_model(model), m_writer(writer), m_plan(plan) {}

    /// One pass; called twice with the same writer, for counting and for writing.
    void write();

  private:
    using Entries = std::vector<std::pair<std::string, std::string>>;

    void writeGraph(GraphId id);
    void writeFunction(GraphId id);
    void writeTrainingInfo(const TrainingInfo& info);
    void writeNode(NodeId id);
    void writeAttribute(const Attribute& attribute);
    void writeAttributeValue(const Attribute& attribute);
    void writeInitializers(GraphId id);
    void writeSparse(GraphId id);
    void writeSparseTensor(const Tensor& tensor, std::string_view name);
    void writeTensor(const Tensor& tensor, std::string_view name);
    void writeElements(const Tensor& tensor, std::string_view name, wire::Rest& rest);
    void writeExternal(const Tensor& tensor, const ExternalPlace* place, wire::Rest& rest);
    void writeValueInfo(std::uint32_t number, std::string_view name, const ValueInfoPtr& info);
    void writeValueInfos(std::uint32_t number, GraphId id);
    void writeAnnotation(const QuantizationAnnotation& annotation);
    void writeOpsets(std::uint32_t number, const std::vector<OpsetImport>& opsets);
    void writeEntry(std::uint32_t number, std::string_view key, std::string_view value);
    void writeText(std::uint32_t number, std::string_view text, bool isGiven) {
        if (isGiven || !text.empty()) m_writer.bytes(number, text);
    }
    [[nodiscard]] const std::string& bodyOf(const ValueInfoPtr& info);

    const Model& m_model;
    wire::Writer& m_writer;
    const ExternalPlan& m_plan;
    std::unordered_map<const ValueInfo*, std::string> m_bodies; // serialized, without names
};

} // namespace secateur
