// SPDX-License-Identifier: Apache-2.0
#include "ui/app_state/work.h"

#include "ui/app_state/strings.h"

#include <QMetaObject>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace secateur {

struct Work::Running {
    Kind kind{};
    QString what;
    std::function<void()> done, cancelled;
    CancelToken cancel;
    QElapsedTimer clock;
    std::thread thread;
    bool isReplaced = false;
    bool isOutOfMemory = false; ///< written by the thread before it ends
    std::mutex mutex;           ///< guards phase and share, which the thread writes
    std::string phase;
    double share = 0;
};

Work::Work(QObject* parent) : QObject(parent) {}

Work::~Work() {
    cancelAll();
    for (const auto& running : m_running)
        running->thread.join();
}

void Work::startErased(Kind kind, const QString& what, std::function<void(const WorkContext&)> job,
                       std::function<void()> done, std::function<void()> cancelled) {
    drop(kind);
    auto running = std::make_shared<Running>();
    running->kind = kind;
    running->what = what;
    running->done = std::move(done);
    running->cancelled = std::move(cancelled);
    running->clock.start();
    m_running.push_back(running);
    running->thread = std::thread([this, running, job = std::move(job)] {
        WorkContext context;
        context.cancel = running->cancel;
        context.onProgress = [&running](const Progress& progress) {
            const std::lock_guard lock(running->mutex);
            running->phase = progress.phase;
            running->share =
                progress.total ? static_cast<double>(progress.done) / static_cast<double>(progress.total) : 0;
        };
        try {
            job(context);
        } catch (const std::bad_alloc&) {
            running->isOutOfMemory = true;
        } catch (const std::length_error&) { // a container asked for more than an address can count
            running->isOutOfMemory = true;
        }
        // Dropped by Qt when this object goes first; its destructor has joined this thread by then.
        QMetaObject::invokeMethod(
            this, [this, running] { finish(running); }, Qt::QueuedConnection);
    });
    emit changed();
}

void Work::finish(const std::shared_ptr<Running>& running) {
    running->thread.join();
    m_running.erase(std::find(m_running.begin(), m_running.end(), running));
    const bool isCancelled = running->cancel.isCancelled() && running->cancelled;
    if (running->isReplaced) {
        emit changed();
        return;
    }
    if (running->isOutOfMemory) {
        if (running->cancelled) running->cancelled();
        emit ranOutOfMemory(running->what);
    } else {
        (isCancelled ? running->cancelled : running->done)();
    }
    emit changed();
}

void Work::cancelAll() {
    for (const auto& running : m_running)
        running->cancel.cancel();
}

void Work::drop(Kind kind) {
    for (const auto& running : m_running)
        if (running->kind == kind) {
            running->isReplaced = true;
            running->cancel.cancel();
        }
}

bool Work::isBusy() const {
    return !m_running.empty();
}

bool Work::isBusy(Kind kind) const {
    return std::any_of(m_running.begin(), m_running.end(),
                       [kind](const auto& running) { return running->kind == kind && !running->isReplaced; });
}

Work::Status Work::status() const {
    Status status;
    if (m_running.empty()) return status;
    // The newest piece is what the person waits for.
    Running& running = *m_running.back();
    status.what = running.what;
    status.seconds = static_cast<double>(running.clock.elapsed()) / 1000.0;
    const std::lock_guard lock(running.mutex);
    status.phase = running.phase.empty() ? QString() : tx(running.phase);
    status.share = running.share;
    return status;
}

} // namespace secateur
