// SPDX-License-Identifier: Apache-2.0
#include "core/support/scratch_folder.h"

#include "core/messages/sentences.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace secateur {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "secateur-run-";
constexpr std::size_t kRandomLetters = 6; ///< of mkdtemp
/// Between a folder's making and its locking it belongs to nobody.
constexpr std::chrono::minutes kYoung{1};

int openFolder(const fs::path& folder) {
    return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/// Opens a folder and locks it; the lock goes with the process, however that ends. -1 where another holds it.
int lockFolder(const fs::path& folder) {
    const int lock = openFolder(folder);
    if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
    ::close(lock);
    return -1;
}

/// The folder that all others lie in, locked: shared by those who make one, alone by the one who removes what
/// was left behind. So no folder is looked at between its making and its locking, whatever the clock says.
class ParentLock {
  public:
    ParentLock(const fs::path& parent, int operation) : m_file(::open(parent.c_str(), O_RDONLY | O_CLOEXEC)) {
        while (m_file >= 0 && !m_isHeld) {
            m_isHeld = ::flock(m_file, operation) == 0;
            if (!m_isHeld && errno != EINTR) break;
        }
    }
    ~ParentLock() {
        if (m_file >= 0) ::close(m_file);
    }
    ParentLock(const ParentLock&) = delete;
    ParentLock& operator=(const ParentLock&) = delete;
    [[nodiscard]] bool isHeld() const { return m_isHeld; }

  private:
    int m_file;
    bool m_isHeld = false;
};

/// A folder of ours that is old enough to be locked, were its process alive.
bool mayBeLeftBehind(const fs::path& folder) {
    const std::string name = folder.filename().string();
    if (!name.starts_with(kPrefix) || name.size() != kPrefix.size() + kRandomLetters) return false;
    struct stat found {};
    if (::lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != ::geteuid())
        return false;
    const auto changed = std::chrono::system_clock::from_time_t(found.st_mtime);
    return std::chrono::system_clock::now() - changed > kYoung;
}

/// Removes what processes left that were killed. Where another makes a folder just now, a later one does.
void sweep(const fs::path& parent) {
    const ParentLock alone(parent, LOCK_EX | LOCK_NB);
    if (!alone.isHeld()) return;
    std::error_code failed;
    for (fs::directory_iterator at(parent, failed), end; !failed && at != end; at.increment(failed)) {
        if (!mayBeLeftBehind(at->path())) continue;
        const int lock = lockFolder(at->path());
        if (lock < 0) continue;
        std::error_code ignored;
        fs::remove_all(at->path(), ignored);
        ::close(lock);
    }
}

} // namespace

Result<ScratchFolder> ScratchFolder::create() {
    std::error_code failed;
    const fs::path parent = fs::temp_directory_path(failed);
    std::string name = (parent / (std::string(kPrefix) + std::string(kRandomLetters, 'X'))).string();
    const auto refuse = [&](const std::string& why) {
        return missingHere(formatMessage("error.no-scratch-folder", {why}), parent.string());
    };
    // One inside another goes with that, whose owner holds its lock.
    const bool isWithinOne = parent.filename().string().starts_with(kPrefix);
    int lock = -1;
    {
        std::optional<ParentLock> shared;
        if (!isWithinOne) shared.emplace(parent, LOCK_SH);
        if (failed || mkdtemp(name.data()) == nullptr)
            return refuse(failed ? failed.message() : std::strerror(errno));
        lock = openFolder(name);
        const int fault = errno;
        if (lock < 0) { // without its lock another process would take it for one that was left behind
            ::rmdir(name.c_str());
            return refuse(std::strerror(fault));
        }
        ::flock(lock, LOCK_EX | LOCK_NB); // where that cannot be done, nobody can lock it to remove it
    }
    static std::once_flag isSwept;
    if (!isWithinOne) std::call_once(isSwept, [&] { sweep(parent); });
    return ScratchFolder(fs::path(name), lock);
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : m_path(std::exchange(other.m_path, {})), m_lock(std::exchange(other.m_lock, -1)) {}

ScratchFolder& ScratchFolder::operator=(ScratchFolder&& other) noexcept {
    if (this != &other) {
        remove();
        m_path = std::exchange(other.m_path, {});
        m_lock = std::exchange(other.m_lock, -1);
    }
    return *this;
}

ScratchFolder::~ScratchFolder() {
    remove();
}

void ScratchFolder::remove() {
    if (!m_path.empty()) {
        std::error_code ignored; // what cannot be removed is left to the system's cleaning
        fs::remove_all(m_path, ignored);
    }
    if (m_lock >= 0) ::close(m_lock);
}

} // namespace secateur
