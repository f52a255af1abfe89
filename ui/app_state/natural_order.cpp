// SPDX-License-Identifier: Apache-2.0
#include "ui/app_state/natural_order.h"

#include <algorithm>

namespace secateur {

namespace {

bool isDigit(QChar c) {
    return c >= QLatin1Char('0') && c <= QLatin1Char('9');
}

} // namespace

QString naturalKey(QStringView text) {
    QString key;
    key.reserve(text.size() + 8);
    for (qsizetype i = 0; i < text.size();) {
        if (!isDigit(text[i])) {
            key.append(text[i++].toCaseFolded());
            continue;
        }
        qsizetype end = i;
        while (end < text.size() && isDigit(text[end]))
            ++end;
        while (i + 1 < end && text[i] == QLatin1Char('0'))
            ++i;
        // A number stands where digits do, after those with fewer digits.
        constexpr qsizetype kMostDigits = 0xFFFF;
        key.append(QLatin1Char('0'));
        key.append(QChar(static_cast<char16_t>(std::min(end - i, kMostDigits))));
        key.append(text.mid(i, end - i));
        i = end;
    }
    return key;
}

} // namespace secateur
