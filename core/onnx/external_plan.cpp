// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/external_plan.h"

#include "core/ir/walk.h"
#include "core/messages/sentences.h"
#include "core/onnx/external_data.h"
#include "core/support/mapped_file.h"

#include <map>
#include <utility>

namespace secateur {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kSmallest = 1024; // initializers below this size stay in the model file
constexpr std::uint64_t kPage = 4096;     // the format asks for offsets that can be mapped

/// External tensors are mapped by the loader; see Tensor::Encoding.
const MappedFile& fileOf(const Tensor& tensor) {
    return *static_cast<const MappedFile*>(tensor.payload.owner.get());
}

} // namespace

ExternalPlanner::ExternalPlanner(const Model& model, const fs::path& target)
    : m_model(model), m_folder(target.parent_path()), m_dataPath(target.string() + ".data") {
    m_plan.location = m_dataPath.filename().string();
}

Result<void> ExternalPlanner::make(bool moveInline) {
    collect(moveInline, true);
    // The file that is about to be replaced cannot stay the home of other tensors.
    if (m_keepsDataFile && !m_segments.empty()) collect(moveInline, false);
    return m_status;
}

void ExternalPlanner::collect(bool moveInline, bool mayKeepDataFile) {
    m_plan.places.clear();
    m_segments.clear();
    m_end = 0;
    m_keepsDataFile = false;
    std::map<std::pair<const std::byte*, std::size_t>, ExternalPlace> known; // tied weights are written once
    const auto visit = [&](const TensorPtr& tensor, bool isInitializer) {
        if (!tensor || m_plan.places.contains(tensor.get())) return;
        std::uint64_t bytes = tensor->payload.size;
        if (tensor->encoding == Tensor::Encoding::external) {
            if (staysPut(*tensor, mayKeepDataFile)) return;
        } else {
            bytes = tensor->byteSize().value_or(0);
            const bool isMovable = tensor->encoding == Tensor::Encoding::raw ||
                                   tensor->encoding == Tensor::Encoding::typed ||
                                   tensor->encoding == Tensor::Encoding::splat;
            if (!moveInline || !isInitializer || !isMovable || bytes < kSmallest) return;
        }
        if (tensor->encoding == Tensor::Encoding::raw || tensor->encoding == Tensor::Encoding::external) {
            const auto [at, isNew] = known.try_emplace({tensor->payload.data, tensor->payload.size});
            if (isNew) {
                place(tensor, bytes);
                at->second = m_plan.places[tensor.get()];
            } else {
                m_plan.places[tensor.get()] = at->second;
            }
            return;
        }
        place(tensor, bytes);
    };
    for (const GraphId graph : allGraphs(m_model)) {
        for (const ValueId value : m_model.graph(graph).initializers) {
            if (m_model.isAlive(value)) visit(m_model.value(value).tensor, true);
        }
        for (const NodeId node : m_model.nodes(graph)) {
            for (const Attribute& attribute : m_model.attributes(node)) {
                if (const auto* one = std::get_if<TensorPtr>(&attribute.value)) visit(*one, false);
                if (const auto* many = std::get_if<std::vector<TensorPtr>>(&attribute.value)) {
                    for (const TensorPtr& tensor : *many)
                        visit(tensor, false);
                }
            }
        }
    }
}

/// Bytes that could not be had cannot be copied: such a reference stays, as broken as it was.
bool ExternalPlanner::staysPut(const Tensor& tensor, bool mayKeepDataFile) {
    if (tensor.payload.data == nullptr) return true;
    const MappedFile& file = fileOf(tensor);
    const std::string* location = externalEntry(tensor, "location");
    if (location && file.isSameFile(m_folder / *location)) {
        if (!file.isSameFile(m_dataPath)) return true;
        m_keepsDataFile = true;
        if (mayKeepDataFile) return true;
    }
    if (!file.isIntact() && m_status) {
        m_status = invalidInput(formatMessage("save.source-shortened", {}), file.path().string());
    }
    return false;
}

void ExternalPlanner::place(const TensorPtr& tensor, std::uint64_t bytes) {
    if (bytes >= kPage)
        m_end = (m_end + kPage - 1) / kPage * kPage;
    else
        m_end = (m_end + 15) / 16 * 16;
    m_plan.places[tensor.get()] = {m_end, bytes};
    m_segments.push_back({tensor, m_end});
    m_end += bytes;
}

} // namespace secateur
