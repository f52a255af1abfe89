// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/support/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace secateur {

/// A file mapped for reading, shared by all who hold ranges of it. The mapping and the descriptor live until
/// the last owner goes. Bytes may be at any alignment: read them with memcpy. Any thread may read.
class MappedFile {
  public:
    /// Maps `path`. Directories, unreadable and vanished files are errors; an empty file has no bytes.
    static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& path);

    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    std::uint64_t size() const { return m_size; }
    std::span<const std::byte> bytes() const { return {m_data, static_cast<std::size_t>(m_size)}; }

    /// `length` bytes from `offset`, after checking that the file is still that long: reading a page behind
    /// the end of a file that was truncated meanwhile would kill the program.
    Result<std::span<const std::byte>> range(std::uint64_t offset, std::uint64_t length) const;

    /// Whether the file still has the size it was mapped with.
    bool isIntact() const;

    /// Whether `path` names this very file (same device and inode), by whatever spelling or link.
    bool isSameFile(const std::filesystem::path& path) const;

  private:
    MappedFile() = default;

    std::filesystem::path m_path;
    const std::byte* m_data = nullptr;
    std::uint64_t m_size = 0;
    int m_descriptor = -1;
};

} // namespace secateur
