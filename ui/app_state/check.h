// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/session/culprit.h"
#endif

#include "ui/app_state/bar_message.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

namespace secateur {

class Document;

/// The check of one window: runs the result of the whole recipe beside the original in evaluation mode, in a
/// child process, and keeps the verdict until the recipe or the model changes.
class Check : public QObject {
    Q_OBJECT
  public:
    explicit Check(Document& document, QObject* parent = nullptr);

    /// Starts it; a check that runs is replaced.
    void start();
    /// Looks for the rewrites that make the result differ, and skips them in the recipe, as one undoable
    /// edit. Only of use after a check that found a difference.
    void findCulprits();
    [[nodiscard]] bool isRunning() const;
    [[nodiscard]] const std::optional<Verification>& verdict() const { return m_verdict; }
    /// Judge, baseline and inputs, line by line; why nothing was checked where that is so.
    [[nodiscard]] QString details() const;

  signals:
    void changed();
    /// The value, by its name, where the models part is to be shown.
    void showRequested(const QString& value);

  private:
    void forget();
    void forgetIfStale();
    void finish(const Result<Verification>& found);
    void finishSearch(const Result<Blame>& found);
    [[nodiscard]] BarMessage messageAbout(const Verification& verdict);

    Document& m_document;
    std::optional<Verification> m_verdict;
    Recipe m_checked; ///< what the verdict, or the check that runs, is about
    std::shared_ptr<const Original> m_checkedOriginal;
};

} // namespace secateur
