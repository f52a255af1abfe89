// SPDX-License-Identifier: Apache-2.0
#include "core/layout/font_metrics.h"

#include "core/support/text.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace secateur {

namespace {

#include "core/layout/font_advances.inc"

constexpr std::uint16_t kNoCharacter = 0xFFFF;

struct Range {
    char32_t first;
    std::span<const std::uint16_t> widths;
};

struct FaceTable {
    std::uint16_t ascent;
    std::uint16_t descent;
    std::array<Range, 3> ranges;
};

const FaceTable& tableOf(FontFace face) {
    static const FaceTable kSansRegular{
        kSansRegularAscent,
        kSansRegularDescent,
        {{{0x20, kSansRegular_0020}, {0x370, kSansRegular_0370}, {0x2010, kSansRegular_2010}}}};
    static const FaceTable kSansBold{
        kSansBoldAscent,
        kSansBoldDescent,
        {{{0x20, kSansBold_0020}, {0x370, kSansBold_0370}, {0x2010, kSansBold_2010}}}};
    static const FaceTable kMonoRegular{
        kMonoRegularAscent,
        kMonoRegularDescent,
        {{{0x20, kMonoRegular_0020}, {0x370, kMonoRegular_0370}, {0x2010, kMonoRegular_2010}}}};
    static const FaceTable kMonoBold{
        kMonoBoldAscent,
        kMonoBoldDescent,
        {{{0x20, kMonoBold_0020}, {0x370, kMonoBold_0370}, {0x2010, kMonoBold_2010}}}};
    switch (face) {
    case FontFace::SansRegular: return kSansRegular;
    case FontFace::SansBold: return kSansBold;
    case FontFace::MonoRegular: return kMonoRegular;
    case FontFace::MonoBold: return kMonoBold;
    }
    return kSansRegular;
}

struct Block {
    char32_t first;
    char32_t last;
};

template <std::size_t N> bool isIn(const std::array<Block, N>& blocks, char32_t code) {
    for (const Block& block : blocks)
        if (code >= block.first && code <= block.last) return true;
    return false;
}

/// The blocks that are one em wide in every East Asian and emoji font.
constexpr std::array<Block, 8> kWide{{{0x1100, 0x115F},
                                      {0x2E80, 0x33FF},
                                      {0x3400, 0xA4CF},
                                      {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF},
                                      {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},
                                      {0x1F000, 0x3FFFD}}};

/// What takes no room: control characters, combining marks, joiners, variation selectors.
constexpr std::array<Block, 5> kInvisible{
    {{0x00, 0x1F}, {0x7F, 0x9F}, {0x300, 0x36F}, {0x200B, 0x200F}, {0xFE00, 0xFE0F}}};

/// Arrows, mathematics and other signs, drawn by a substitute font.
constexpr Block kSigns{0x2190, 0x2BFF};

/// In 1/1000 em, for what the table lacks.
unsigned substituteWidth(char32_t code) {
    if (isIn(kInvisible, code)) return 0;
    if (isIn(kWide, code)) return 1000;
    return code >= kSigns.first && code <= kSigns.last ? 840 : 600;
}

/// In 1/1000 em.
unsigned advanceOf(const FaceTable& table, char32_t code) {
    for (const Range& range : table.ranges) {
        if (code < range.first || code - range.first >= range.widths.size()) continue;
        const std::uint16_t width = range.widths[code - range.first];
        if (width != kNoCharacter) return width;
    }
    return substituteWidth(code);
}

double scaled(std::uint64_t perMille, double pixelSize) {
    return static_cast<double>(perMille) * pixelSize / 1000.0;
}

} // namespace

double textWidth(std::string_view utf8, FontFace face, double pixelSize) {
    const FaceTable& table = tableOf(face);
    std::uint64_t width = 0;
    for (std::size_t at = 0; at < utf8.size();)
        width += advanceOf(table, nextCodePoint(utf8, at));
    return scaled(width, pixelSize);
}

double fontAscent(FontFace face, double pixelSize) {
    return scaled(tableOf(face).ascent, pixelSize);
}

double fontDescent(FontFace face, double pixelSize) {
    return scaled(tableOf(face).descent, pixelSize);
}

std::string elideMiddleToWidth(std::string_view utf8, FontFace face, double pixelSize, double maxWidth) {
    const FaceTable& table = tableOf(face);
    struct Letter {
        std::size_t start = 0;
        unsigned width = 0;
    };
    std::vector<Letter> letters;
    letters.reserve(utf8.size());
    std::uint64_t total = 0;
    for (std::size_t at = 0; at < utf8.size();) {
        const std::size_t start = at;
        letters.push_back({start, advanceOf(table, nextCodePoint(utf8, at))});
        total += letters.back().width;
    }
    if (scaled(total, pixelSize) <= maxWidth) return std::string(utf8);
    std::uint64_t used = advanceOf(table, U'…');
    if (scaled(used, pixelSize) > maxWidth) return {};

    // Grow from both ends, always the shorter side, until the next character does not fit.
    std::size_t head = 0, tail = letters.size();
    std::uint64_t headWidth = 0, tailWidth = 0;
    while (head < tail) {
        const bool growHead = headWidth <= tailWidth;
        const unsigned next = letters[growHead ? head : tail - 1].width;
        if (scaled(used + next, pixelSize) > maxWidth) break;
        used += next;
        (growHead ? headWidth : tailWidth) += next;
        if (growHead)
            ++head;
        else
            --tail;
    }
    std::string result(utf8.substr(0, head < letters.size() ? letters[head].start : utf8.size()));
    result += "…";
    if (tail < letters.size()) result += utf8.substr(letters[tail].start);
    return result;
}

} // namespace secateur
