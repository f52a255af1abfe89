// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/support/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace secateur {

/// Writes a file whole or not at all: into a temporary in the folder of the target, then synced and renamed
/// over it. So a target that is mapped by this or another process keeps its old bytes for them. Without
/// commit() (an error, an early return) the target is as it was and the temporary is removed; where the file
/// system knows files without a name, as Linux's usual ones do, a kill leaves none either.
class AtomicFile {
  public:
    /// Starts writing `target`. Its folder must exist; a symbolic link is followed, also one
    /// to a file that is not there yet; the mode of an existing
    /// target is kept. A target that is a directory, a device or write-protected is an error.
    static Result<AtomicFile> create(const std::filesystem::path& target);

    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&& other) noexcept;
    ~AtomicFile();

    /// Appends; small pieces are gathered.
    Result<void> write(std::span<const std::byte> bytes);
    Result<void> write(std::string_view text);

    /// Bytes written so far.
    std::uint64_t size() const { return m_size; }

    /// Makes it so: flushes, syncs, renames. Once.
    Result<void> commit();

  private:
    AtomicFile() = default;
    Result<void> flush();
    Result<void> giveName();
    Result<void> writeThrough(const char* bytes, std::size_t count);
    Error failure(std::string_view sentence, int reason) const;
    void discard();

    std::filesystem::path m_target;
    std::string m_temporary; ///< "" while the file has no name, or none any more
    std::string m_buffer;
    std::uint64_t m_size = 0;
    int m_descriptor = -1;
};

/// The file that a path leads to through symbolic links, whether it is there or not; absolute. The path
/// itself where its links lead in circles.
[[nodiscard]] std::filesystem::path fileBehind(const std::filesystem::path& path);

/// Writes `bytes` to `target`, whole or not at all.
Result<void> writeFile(const std::filesystem::path& target, std::string_view bytes);

} // namespace secateur
