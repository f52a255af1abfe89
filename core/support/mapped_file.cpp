// SPDX-License-Identifier: Apache-2.0
#include "core/support/mapped_file.h"

#include "core/messages/sentences.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace secateur {

namespace {

Error openFailure(const std::filesystem::path& path, int reason) {
    if (reason == ENOENT) return invalidInput(formatMessage("file.absent", {}), path.string());
    if (reason == EACCES) return invalidInput(formatMessage("file.no-permission", {}), path.string());
    return invalidInput(formatMessage("file.cannot-open", {std::strerror(reason)}), path.string());
}

} // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path) {
    std::shared_ptr<MappedFile> file(new MappedFile);
    file->m_path = path;
    // O_NONBLOCK: opening a pipe must fail below, not wait for a writer.
    file->m_descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->m_descriptor < 0) return openFailure(path, errno);
    struct stat status {};
    if (::fstat(file->m_descriptor, &status) != 0) return openFailure(path, errno);
    if (S_ISDIR(status.st_mode)) return invalidInput(formatMessage("file.is-folder", {}), path.string());
    if (!S_ISREG(status.st_mode)) return invalidInput(formatMessage("file.not-ordinary", {}), path.string());
    file->m_size = static_cast<std::uint64_t>(status.st_size);
    if (file->m_size == 0) {
        // The system's own files (/proc) say that they are empty, and are not.
        char first = 0;
        if (::pread(file->m_descriptor, &first, 1, 0) > 0)
            return invalidInput(formatMessage("file.not-ordinary", {}), path.string());
        return std::shared_ptr<const MappedFile>(std::move(file));
    }
    void* data = ::mmap(nullptr, static_cast<std::size_t>(file->m_size), PROT_READ, MAP_PRIVATE,
                        file->m_descriptor, 0);
    if (data == MAP_FAILED)
        return invalidInput(formatMessage("file.cannot-map", {std::strerror(errno)}), path.string());
    file->m_data = static_cast<const std::byte*>(data);
    return std::shared_ptr<const MappedFile>(std::move(file));
}

MappedFile::~MappedFile() {
    if (m_data != nullptr) ::munmap(const_cast<std::byte*>(m_data), static_cast<std::size_t>(m_size));
    if (m_descriptor >= 0) ::close(m_descriptor);
}

Result<std::span<const std::byte>> MappedFile::range(std::uint64_t offset, std::uint64_t length) const {
    if (offset > m_size || length > m_size - offset) {
        const std::uint64_t end = length > UINT64_MAX - offset ? UINT64_MAX : offset + length;
        return invalidInput(formatMessage("file.too-short", {std::to_string(offset), std::to_string(end),
                                                             std::to_string(m_size)}),
                            m_path.string());
    }
    struct stat status {};
    if (::fstat(m_descriptor, &status) != 0 || static_cast<std::uint64_t>(status.st_size) < offset + length)
        return invalidInput(formatMessage("file.shortened", {}), m_path.string());
    return bytes().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
}

bool MappedFile::isIntact() const {
    struct stat status {};
    return ::fstat(m_descriptor, &status) == 0 && static_cast<std::uint64_t>(status.st_size) == m_size;
}

bool MappedFile::isSameFile(const std::filesystem::path& path) const {
    struct stat mine {
    }, other{};
    return ::fstat(m_descriptor, &mine) == 0 && ::stat(path.c_str(), &other) == 0 &&
           mine.st_dev == other.st_dev && mine.st_ino == other.st_ino;
}

} // namespace secateur
