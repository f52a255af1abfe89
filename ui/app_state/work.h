// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/support/cancel.h"
#endif

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace secateur {

/// Long work on threads of its own, with progress, elapsed time and cancel. Results come back on the thread
/// that this object lives on. Work of one kind replaces earlier work of that kind: the old one is cancelled
/// and its result dropped.
class Work : public QObject {
    Q_OBJECT
  public:
    enum class Kind { model, layout, compact, graph, exporting, checking };
    explicit Work(QObject* parent = nullptr);
    ~Work() override;

    /// Runs `job` beside this thread, then `done` with its result on this thread, unless it was replaced.
    /// `what` is what the status bar says. Where `cancelled` is given it is called in place of `done` when a
    /// person cancelled before the result was handed over, whether or not the job had noticed.
    template <class T>
    void start(Kind kind, const QString& what, std::function<T(const WorkContext&)> job,
               std::function<void(T)> done, std::function<void()> cancelled = {}) {
        auto result = std::make_shared<std::unique_ptr<T>>();
        startErased(
            kind, what,
            [result, job = std::move(job)](const WorkContext& work) {
                *result = std::make_unique<T>(job(work));
            },
            [result, done = std::move(done)] { done(std::move(**result)); }, std::move(cancelled));
    }
    /// Asks all running work to stop, as a person does.
    void cancelAll();
    /// Drops the work of a kind: neither of its functions is called.
    void drop(Kind kind);
    [[nodiscard]] bool isBusy() const;
    [[nodiscard]] bool isBusy(Kind kind) const;
    /// Of the work that runs longest: what it is, phase and share done (0 while unknown), seconds so far.
    struct Status {
        QString what;
        QString phase;
        double share = 0;
        double seconds = 0;
    };
    [[nodiscard]] Status status() const;

  signals:
    /// Work began or ended.
    void changed();
    /// This work needed more memory than there is: it ends like one that a person cancelled.
    void ranOutOfMemory(const QString& what);

  private:
    struct Running;
    void startErased(Kind kind, const QString& what, std::function<void(const WorkContext&)> job,
                     std::function<void()> done, std::function<void()> cancelled);
    void finish(const std::shared_ptr<Running>& running);

    std::vector<std::shared_ptr<Running>> m_running;
};

} // namespace secateur
