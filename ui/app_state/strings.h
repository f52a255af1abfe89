// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/messages/messages.h"

#include <QString>
#include <QStringList>
#include <QStringView>

#include <initializer_list>
#include <string>

namespace secateur {

/// The sentence of a message id (resources/messages/en/ui.json and the others).
[[nodiscard]] QString tx(std::string_view id);
/// The same with {0}, {1} ... filled in.
[[nodiscard]] QString tx(std::string_view id, std::initializer_list<QString> arguments);

[[nodiscard]] inline QString qs(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
[[nodiscard]] inline std::string utf8(const QString& text) {
    return text.toStdString();
}
/// A name from a file as it stands among other words: what would turn the direction of writing or cannot be
/// seen is written out (core/support/printable.h), and a name that is written from right to left keeps to
/// itself instead of taking the words and numbers beside it along.
[[nodiscard]] QString nameText(std::string_view name);
/// Texts as a sentence lists them, "a, b and 19,998 more": of more than fit in one the first ones.
[[nodiscard]] QString listText(const QStringList& parts);
/// "31,423"
[[nodiscard]] QString countText(std::uint64_t count);
/// "2.3 MiB"
[[nodiscard]] QString bytesText(std::uint64_t bytes);
/// "−77 %", "+3 %", "±0 %": how much less or more `after` is than `before`.
[[nodiscard]] QString changeText(std::uint64_t before, std::uint64_t after);
/// Text for a rich-text label: escaped, `names` in back ticks set in the monospaced face.
[[nodiscard]] QString richText(const QString& text);

} // namespace secateur
