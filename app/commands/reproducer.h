// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/history.h"
#include "core/support/result.h"

#include <filesystem>
#include <optional>
#include <string>

namespace secateur::cli {

/// What is needed to see a pass fail again: the model in front of it, and a recipe of that one step. Both lie
/// on disk before the pass begins, so that they are there even where it takes the whole process with it, and
/// go when all passes have ended well.
class Reproducer {
  public:
    /// `model` is the file to write, the recipe is called after it.
    explicit Reproducer(std::filesystem::path model);

    /// Writes model and recipe in front of a step.
    Result<void> write(const Model& model, const Recipe& recipe, std::size_t step);
    /// Keeps the files where a step failed, else removes them. A sentence about what was kept.
    [[nodiscard]] std::string finish(bool hasFailed);

  private:
    std::filesystem::path m_model, m_recipe;
    std::string m_pass;
    bool m_isWritten = false;
};

} // namespace secateur::cli
