// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/history.h"
#include "core/support/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace secateur::cli {

/// What is needed to see a pass fail again: the model in front of it, and a recipe of that one step. Both lie
/// on disk before the pass begins, so that they are there even where it takes the whole process with it, and
/// go when all passes have ended well. Files that were there before are neither replaced nor removed.
class Reproducer {
  public:
    /// `model` is the file to write; the recipe, and the data of a model of 2 GiB and more, are called after
    /// it.
    explicit Reproducer(std::filesystem::path model);

    /// Can all be written? A Usage error where one of them is there, or is one of `others`: the files that
    /// the command reads and writes besides.
    [[nodiscard]] Result<void> check(const std::vector<std::filesystem::path>& others) const;
    /// Writes model and recipe in front of a step. Fails, and writes nothing, where one of the files is not
    /// of an earlier call.
    Result<void> write(const Model& model, const Recipe& recipe, std::size_t step);
    /// Keeps the files where a step failed, else removes them. A sentence about what was kept.
    [[nodiscard]] std::string finish(bool hasFailed);

  private:
    [[nodiscard]] Result<void> checkNew() const;

    std::filesystem::path m_model, m_recipe, m_data;
    bool m_isOurs = false; ///< none of the files was there when the first one was written
};

} // namespace secateur::cli
