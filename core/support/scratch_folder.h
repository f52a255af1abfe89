// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/support/result.h"

#include <filesystem>

namespace secateur {

/// A new, empty folder of one's own in the system's folder for temporary files; it and all in it is gone with
/// the object. What a process that was killed left behind goes when a later one makes its first folder.
class ScratchFolder {
  public:
    /// Fails with `missing` where none can be made.
    static Result<ScratchFolder> create();
    ScratchFolder(ScratchFolder&& other) noexcept;
    ScratchFolder& operator=(ScratchFolder&& other) noexcept;
    ~ScratchFolder();

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

  private:
    ScratchFolder(std::filesystem::path path, int lock) : m_path(std::move(path)), m_lock(lock) {}
    void remove();

    std::filesystem::path m_path;
    int m_lock = -1; ///< the folder, locked while its process lives
};

} // namespace secateur
