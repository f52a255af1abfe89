// SPDX-License-Identifier: Apache-2.0
#include "ui/window/fuzzy_match.h"

#include <QStringList>

#include <algorithm>

namespace secateur {

namespace {

constexpr int kAtWordStart = 12, kSideBySide = 8, kAnywhere = 1, kWhole = 32;

bool isWordStart(const QString& text, qsizetype at) {
    return at == 0 || !text[at - 1].isLetterOrNumber();
}

/// The letters of a word found from a place on, as early as they come, beginnings of words first.
std::optional<int> scoreFrom(const QString& word, const QString& text, qsizetype start) {
    int score = 0;
    qsizetype last = start - 1;
    for (qsizetype i = 0; i < word.size(); ++i) {
        qsizetype at = text.indexOf(word[i], last + 1);
        if (at < 0) return std::nullopt;
        const bool isNext = i > 0 && at == last + 1;
        // A later beginning of a word is a better answer than a letter in the middle of this one.
        for (qsizetype next = at; !isNext && next >= 0; next = text.indexOf(word[i], next + 1))
            if (isWordStart(text, next)) {
                const bool restFits = i + 1 == word.size() || text.indexOf(word[i + 1], next + 1) >= 0;
                if (restFits) at = next;
                break;
            }
        score += isWordStart(text, at) ? kAtWordStart : isNext ? kSideBySide : kAnywhere;
        last = at;
    }
    return score;
}

std::optional<int> scoreOfWord(const QString& word, const QString& text) {
    std::optional<int> best;
    const auto keep = [&best](int score) { best = std::max(best.value_or(score), score); };
    // The word as it is: best where one begins with it.
    for (qsizetype at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
        keep(kSideBySide * static_cast<int>(word.size()) + (isWordStart(text, at) ? kWhole : 0));
    for (qsizetype start = text.indexOf(word[0]); start >= 0; start = text.indexOf(word[0], start + 1))
        if (const auto score = scoreFrom(word, text, start)) keep(*score);
    return best;
}

} // namespace

std::optional<int> fuzzyScore(const QString& query, const QString& text) {
    const QString folded = text.toCaseFolded();
    int sum = 0;
    for (const QString& word : query.toCaseFolded().split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const auto score = scoreOfWord(word, folded);
        if (!score) return std::nullopt;
        sum += *score;
    }
    return sum;
}

} // namespace secateur
