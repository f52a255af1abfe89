// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/tensor.h"
#include "core/ir/verifier.h"
#include "core/support/mapped_file.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace secateur {

/// The files beside a model that hold tensors of it. Each is mapped once. The owner of the payload of an
/// external tensor is the MappedFile; a tensor whose bytes cannot be had keeps an empty payload, and a
/// problem says why.
class ExternalFiles {
  public:
    /// `folder` is where locations are looked up; `model` is the model's own file (a link leads its data
    /// along).
    ExternalFiles(std::filesystem::path folder, const std::filesystem::path& model);

    /// Fills in the payload of a tensor of encoding `external`; `name` stands for it in problems.
    void attach(Tensor& tensor, std::string_view name, std::vector<Problem>& problems);

    /// Bytes of all ranges handed out, each counted once.
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }

  private:
    struct Opened {
        std::shared_ptr<const MappedFile> file;
        std::string problem, detail; ///< when there is no file: message id, and what opening it said
    };
    const Opened& open(const std::string& location);
    [[nodiscard]] Opened openNew(const std::string& location) const;
    [[nodiscard]] bool isInside(const std::filesystem::path& real) const;

    std::filesystem::path m_folder;
    std::vector<std::filesystem::path> m_allowed; ///< real paths of the folders that data may lie in
    std::map<std::string, Opened> m_opened;
    std::set<std::pair<const std::byte*, std::size_t>> m_ranges;
    std::uint64_t m_bytes = 0;
};

/// The value of `key` in the entries of an external tensor; null when there is none.
[[nodiscard]] const std::string* externalEntry(const Tensor& tensor, std::string_view key);

} // namespace secateur
