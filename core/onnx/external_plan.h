// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/onnx/model_writer.h"
#include "core/support/result.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace secateur {

/// Decides which tensors a saved model keeps in a file beside it, and writes that file. External tensors
/// whose entry still names the file they are mapped from stay as they are; all others move to `<target
/// name>.data`.
class ExternalPlanner {
  public:
    ExternalPlanner(const Model& model, const std::filesystem::path& target);

    /// `moveInline`: initializers in the model file move, too (it would be over protobuf's 2 GiB limit).
    Result<void> make(bool moveInline);
    [[nodiscard]] const ExternalPlan& plan() const { return m_plan; }
    [[nodiscard]] std::filesystem::path dataPath() const { return m_dataPath; }

    /// One piece of the data file.
    struct Segment {
        TensorPtr tensor;
        std::uint64_t offset = 0;
    };
    [[nodiscard]] const std::vector<Segment>& segments() const { return m_segments; }

  private:
    void collect(bool moveInline, bool mayKeepDataFile);
    [[nodiscard]] bool staysPut(const Tensor& tensor, bool mayKeepDataFile);
    void place(const TensorPtr& tensor, std::uint64_t bytes);

    const Model& m_model;
    std::filesystem::path m_folder, m_dataPath;
    ExternalPlan m_plan;
    std::vector<Segment> m_segments;
    std::uint64_t m_end = 0;
    bool m_keepsDataFile = false; ///< a tensor that stays refers to the file that would be written
    Result<void> m_status;
};

} // namespace secateur
