// SPDX-License-Identifier: Apache-2.0
#include "ui/app_state/strings.h"

#include "core/support/printable.h"
#include "core/support/text.h"

#include <algorithm>
#include <vector>

namespace secateur {

QString tx(std::string_view id) {
    return qs(message(id));
}

QString tx(std::string_view id, std::initializer_list<QString> arguments) {
    std::vector<std::string> texts;
    for (const QString& argument : arguments)
        texts.push_back(argument.toStdString());
    return QString::fromStdString(formatMessage(id, texts));
}

namespace {

/// Marks around a run that is written from right to left: its surroundings keep their order.
QString isolated(const QString& text) {
    const bool isLeftToRight = std::none_of(text.begin(), text.end(), [](QChar c) {
        return c.direction() == QChar::DirR || c.direction() == QChar::DirAL;
    });
    constexpr char16_t kFirstStrongIsolate = 0x2068, kEndOfIsolate = 0x2069;
    return isLeftToRight ? text : QChar(kFirstStrongIsolate) + text + QChar(kEndOfIsolate);
}

} // namespace

QString nameText(std::string_view name) {
    return isolated(qs(printable(name)));
}

QString listText(const QStringList& parts) {
    std::vector<std::string> texts(static_cast<std::size_t>(parts.size())); // those that are only counted
    for (std::size_t i = 0; i < std::min(texts.size(), kMostListed); ++i)
        texts[i] = parts[static_cast<qsizetype>(i)].toStdString();
    return QString::fromStdString(shortList(texts));
}

QString countText(std::uint64_t count) {
    return QString::fromStdString(formatCount(count));
}

QString bytesText(std::uint64_t bytes) {
    return QString::fromStdString(formatBytes(bytes));
}

QString changeText(std::uint64_t before, std::uint64_t after) {
    if (before == after) return QStringLiteral("\u00B10 %");
    const bool isLess = after < before;
    const std::uint64_t difference = isLess ? before - after : after - before;
    return (isLess ? QStringLiteral("\u2212") : QStringLiteral("+")) +
           QString::fromStdString(formatPercent(difference, before == 0 ? difference : before));
}

QString richText(const QString& text) {
    const QStringList parts = text.toHtmlEscaped().split(QLatin1Char('`'));
    QString out;
    for (qsizetype i = 0; i < parts.size(); ++i) {
        const bool isName = i % 2 == 1 && i + 1 < parts.size();
        out += isName ? QStringLiteral("<span style=\"font-family:'Noto Sans Mono'\">%1</span>")
                            .arg(isolated(parts[i]))
                      : (i % 2 == 1 ? QLatin1Char('`') + parts[i] : parts[i]);
    }
    return out;
}

} // namespace secateur
