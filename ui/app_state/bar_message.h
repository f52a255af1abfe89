// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <functional>
#include <vector>

namespace secateur {

/// Key of the question whether to export what a check found to differ. It is about the model at the cursor,
/// and goes when that moves.
inline constexpr const char* kExportQuestion = "export-question";

/// One line of the message bar.
struct BarMessage {
    enum class Severity { info, ok, question, warning, error };
    struct Link {
        QString text;
        std::function<void()> run;
    };
    QString key; ///< what it is about: dismissing one hides the next of the same key
    Severity severity = Severity::info;
    QString text; ///< `names` in back ticks
    std::vector<Link> links;
};

} // namespace secateur
