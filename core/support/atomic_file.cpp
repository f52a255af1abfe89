// SPDX-License-Identifier: Apache-2.0
#include "core/support/atomic_file.h"

#include "core/messages/sentences.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace secateur {

namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;

/// The mode a new file gets: what the person's umask allows, as for any other program.
mode_t defaultMode() {
    // umask can only be read by setting it, which races with other threads; /proc has it without.
    if (std::FILE* status = std::fopen("/proc/self/status", "re")) {
        char line[256];
        unsigned mask = 0;
        bool found = false;
        while (!found && std::fgets(line, sizeof line, status) != nullptr)
            found = std::sscanf(line, "Umask: %o", &mask) == 1;
        std::fclose(status);
        if (found) return static_cast<mode_t>(0666u & ~mask);
    }
    return 0644;
}

/// A file without a name in the folder of the target: it is gone with this process, even where that is
/// killed. -1 where the file system has none, or where it could not be given a name later.
int openNameless(const std::filesystem::path& target) {
    if (::access("/proc/self/fd", X_OK) != 0) return -1;
    const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
    return ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

/// A name for a file on its way, beside the target: short, since that of the target may be as long as names
/// can be.
std::string temporaryName(const std::filesystem::path& target, const std::string& ending) {
    return (target.parent_path() / (".secateur-" + ending)).string();
}

Error cannotCreate(const std::filesystem::path& target, int reason) {
    std::error_code ignored;
    const std::filesystem::path folder = fileBehind(target).parent_path();
    const bool isThere = std::filesystem::is_directory(folder, ignored);
    if ((reason == ENOENT || reason == ENOTDIR) && !isThere)
        return usageError(formatMessage("file.no-folder", {}), folder.string());
    if (reason == ENOENT) return usageError(formatMessage("file.folder-refuses", {}), target.string());
    return usageError(formatMessage("file.cannot-write", {std::strerror(reason)}), target.string());
}

} // namespace

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& target) {
    if (target.empty()) return usageError(formatMessage("file.no-name", {}));
    AtomicFile file;
    file.m_target = fileBehind(target);
    struct stat existing {};
    const bool exists = ::stat(file.m_target.c_str(), &existing) == 0;
    if (!exists && errno == ELOOP) return cannotCreate(target, errno);
    if (!exists && errno == ENAMETOOLONG)
        return usageError(formatMessage("file.name-too-long", {}), target.string());
    if (exists && S_ISDIR(existing.st_mode))
        return usageError(formatMessage("file.target-is-folder", {}), target.string());
    if (exists && !S_ISREG(existing.st_mode))
        return usageError(formatMessage("file.target-not-ordinary", {}), target.string());
    if (exists && ::access(file.m_target.c_str(), W_OK) != 0) return cannotCreate(target, errno);

    file.m_descriptor = openNameless(file.m_target);
    if (file.m_descriptor < 0) {
        file.m_temporary = temporaryName(file.m_target, "XXXXXX");
        file.m_descriptor = ::mkostemp(file.m_temporary.data(), O_CLOEXEC);
    }
    if (file.m_descriptor < 0) {
        const int reason = errno;
        file.m_temporary.clear();
        return cannotCreate(target, reason);
    }
    ::fchmod(file.m_descriptor, exists ? (existing.st_mode & 07777) : defaultMode());
    return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : m_target(std::move(other.m_target)), m_temporary(std::exchange(other.m_temporary, {})),
      m_buffer(std::move(other.m_buffer)), m_size(other.m_size),
      m_descriptor(std::exchange(other.m_descriptor, -1)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
    if (this == &other) return *this;
    discard();
    m_target = std::move(other.m_target);
    m_temporary = std::exchange(other.m_temporary, {});
    m_buffer = std::move(other.m_buffer);
    m_size = other.m_size;
    m_descriptor = std::exchange(other.m_descriptor, -1);
    return *this;
}

AtomicFile::~AtomicFile() {
    discard();
}

void AtomicFile::discard() {
    if (m_descriptor >= 0) ::close(std::exchange(m_descriptor, -1));
    if (!m_temporary.empty()) ::unlink(m_temporary.c_str());
    m_temporary.clear();
}

Error AtomicFile::failure(std::string_view sentence, int reason) const {
    const bool isFull = reason == ENOSPC || reason == EDQUOT;
    const std::string advice(isFull ? message("file.free-space") : std::string_view());
    return missingHere(formatMessage(sentence, {std::strerror(reason), advice}), m_target.string());
}

Result<void> AtomicFile::writeThrough(const char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t written = ::write(m_descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return failure("file.write-failed", errno);
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
    return {};
}

Result<void> AtomicFile::flush() {
    if (Result<void> done = writeThrough(m_buffer.data(), m_buffer.size()); !done) return done;
    m_buffer.clear();
    return {};
}

Result<void> AtomicFile::write(std::string_view text) {
    m_size += text.size();
    if (m_buffer.size() + text.size() <= kBufferBytes) {
        m_buffer += text;
        return {};
    }
    TRY(flush());
    if (text.size() >= kBufferBytes) return writeThrough(text.data(), text.size());
    m_buffer += text;
    return {};
}

Result<void> AtomicFile::write(std::span<const std::byte> bytes) {
    return write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

/// Gives a file without a name one beside the target, from which it is renamed at once: no call puts it in
/// the place of another file.
Result<void> AtomicFile::giveName() {
    const std::string self = "/proc/self/fd/" + std::to_string(m_descriptor);
    for (unsigned attempt = 0;; ++attempt) {
        const std::string name =
            temporaryName(m_target, std::to_string(::getpid()) + '-' + std::to_string(attempt));
        if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
            m_temporary = name;
            return {};
        }
        if (errno != EEXIST) return failure("file.rename-failed", errno);
    }
}

Result<void> AtomicFile::commit() {
    TRY(flush());
    if (::fsync(m_descriptor) != 0) return failure("file.sync-failed", errno);
    if (m_temporary.empty()) TRY(giveName());
    if (::close(std::exchange(m_descriptor, -1)) != 0) return failure("file.close-failed", errno);
    if (::rename(m_temporary.c_str(), m_target.c_str()) != 0) return failure("file.rename-failed", errno);
    m_temporary.clear();
    return {};
}

std::filesystem::path fileBehind(const std::filesystem::path& path) {
    namespace fs = std::filesystem;
    constexpr int kMostLinks = 40; // what Linux follows
    std::error_code failed;
    fs::path at = path;
    for (int links = 0; fs::is_symlink(fs::symlink_status(at, failed)); ++links) {
        const fs::path next = fs::read_symlink(at, failed);
        if (failed || links == kMostLinks) return path;
        at = at.parent_path() / next; // an absolute one stands for itself
    }
    const fs::path whole = fs::absolute(at, failed);
    if (failed) return path;
    const fs::path real = fs::weakly_canonical(whole, failed);
    return failed || real.empty() ? at : real;
}

Result<void> writeFile(const std::filesystem::path& target, std::string_view bytes) {
    AtomicFile file = TRY(AtomicFile::create(target));
    TRY(file.write(bytes));
    return file.commit();
}

} // namespace secateur
