// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "core/session/culprit.h"
#endif

#include "ui/app_state/bar_message.h"

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace secateur {

class Document;

/// The check of one window: runs the result of the whole recipe, and the model after each step, beside the
/// original in evaluation mode, in a child process, and keeps the verdicts until the recipe or the model
/// changes. Small models are checked by themselves once nothing has changed for a moment.
class Check : public QObject {
    Q_OBJECT
  public:
    explicit Check(Document& document, QObject* parent = nullptr);

    /// Starts it; a check that runs is replaced.
    void start();
    /// Whether small models are checked without being asked; off until it is turned on.
    void setAutomatic(bool on);
    [[nodiscard]] bool isAutomatic() const { return m_isAutomatic; }
    /// Runs on these files and folders as well from now on, until another model is opened; starts a check.
    /// What they cannot be is said in the message bar.
    void useInputs(const QStringList& paths);
    [[nodiscard]] const std::vector<OwnInputs>& ownInputs() const { return m_own; }
    /// Looks for the rewrites that make the result differ, and skips them in the recipe, as one undoable
    /// edit. Only of use after a check that found a difference.
    void findCulprits();
    [[nodiscard]] bool isRunning() const;
    [[nodiscard]] const std::optional<Verification>& verdict() const { return m_verdict; }
    /// Of one step of the recipe; null while it is not known.
    [[nodiscard]] const Verification* verdictOf(std::size_t step) const;
    /// Of the model at the cursor: of the whole recipe at its end, else of the step before it; null while it
    /// is not known.
    [[nodiscard]] const Verification* verdictAtCursor() const;
    /// Seconds that one run of both models was estimated to take, where that kept the check from starting by
    /// itself; else 0.
    [[nodiscard]] double waitsForSeconds() const { return m_waitsForSeconds; }
    /// Judge, baseline and inputs, line by line; why nothing was checked where that is so.
    [[nodiscard]] QString details() const;
    /// The same of one step.
    [[nodiscard]] static QString detailsOf(const Verification& step);

  signals:
    void changed();
    void automaticChanged(bool on);
    /// The value, by its name, where the models part is to be shown.
    void showRequested(const QString& value);

  private:
    void begin(bool isAsked);
    void startByItself();
    void forget();
    void forgetIfStale();
    void forgetInputs();
    void finish(const Result<Verification>& found, bool isAsked);
    void finishSearch(const Result<Blame>& found);
    [[nodiscard]] BarMessage messageAbout(const Verification& verdict);

    Document& m_document;
    QTimer m_soon;
    std::optional<Verification> m_verdict;
    Recipe m_checked; ///< what the verdict, or the check that runs, is about
    std::shared_ptr<const Original> m_checkedOriginal;
    std::vector<OwnInputs> m_own;
    std::shared_ptr<const Original> m_ownOriginal; ///< the model that they were given for
    double m_waitsForSeconds = 0;
    bool m_isAutomatic = false;
};

} // namespace secateur
