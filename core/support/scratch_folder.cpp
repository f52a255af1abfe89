// SPDX-License-Identifier: Apache-2.0
#include "core/support/scratch_folder.h"

#include "core/messages/sentences.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace secateur {

Result<ScratchFolder> ScratchFolder::create() {
    std::error_code failed;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(failed);
    std::string name = (parent / "secateur-XXXXXX").string();
    if (failed || mkdtemp(name.data()) == nullptr)
        return missingHere(
            formatMessage("error.no-scratch-folder", {failed ? failed.message() : std::strerror(errno)}),
            parent.string());
    return ScratchFolder(std::filesystem::path(name));
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : m_path(std::exchange(other.m_path, {})) {}

ScratchFolder& ScratchFolder::operator=(ScratchFolder&& other) noexcept {
    if (this != &other) {
        remove();
        m_path = std::exchange(other.m_path, {});
    }
    return *this;
}

ScratchFolder::~ScratchFolder() {
    remove();
}

void ScratchFolder::remove() {
    if (m_path.empty()) return;
    std::error_code ignored; // what cannot be removed is left to the system's cleaning
    std::filesystem::remove_all(m_path, ignored);
}

} // namespace secateur
