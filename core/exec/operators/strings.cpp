// SPDX-License-Identifier: Apache-2.0
//
// ONNX StringConcat, StringSplit, StringNormalizer. Text is UTF-8; its case is changed within ASCII only, and
// text beyond that is refused rather than changed by half.
#include "core/exec/broadcast.h"
#include "core/exec/kernel_tables.h"

#include <algorithm>
#include <array>
#include <string>

namespace secateur {
namespace {

Result<const TensorData*> textIn(const KernelCall& call, std::size_t slot) {
    const TensorData* given = TRY(call.tensor(slot));
    if (!given->isString()) return call.noCodeFor(given->type());
    return given;
}

/// What an attribute lists; empty where it is not given.
std::vector<std::string> textsOf(const KernelCall& call, std::string_view name) {
    const Attribute* attribute = call.attribute(name);
    const auto* given =
        attribute == nullptr ? nullptr : std::get_if<std::vector<std::string>>(&attribute->value);
    return given == nullptr ? std::vector<std::string>{} : *given;
}

/// ONNX StringConcat 20: element by element, broadcast.
Result<void> runConcat(const KernelCall& call) {
    const TensorData* a = TRY(textIn(call, 0));
    const TensorData* b = TRY(textIn(call, 1));
    const auto shape = broadcastShape(a->shape(), b->shape());
    if (!shape) return call.fail("exec.no-broadcast", {shapeText(a->shape()), shapeText(b->shape())});
    TensorData y = TRY(call.make(ElementType::string, *shape));
    const std::array<const Shape*, 2> shapes{&a->shape(), &b->shape()};
    BroadcastWalk(*shape, shapes).forEachRow(SIZE_MAX / 2, [&](const BroadcastWalk::Row& row) {
        for (std::size_t i = 0; i < row.count; ++i) {
            const auto step = static_cast<std::int64_t>(i);
            const std::string& left =
                a->strings()[static_cast<std::size_t>(row.offset[0] + step * row.stride[0])];
            const std::string& right =
                b->strings()[static_cast<std::size_t>(row.offset[1] + step * row.stride[1])];
            // Joined texts double with every step: counted one by one, before each is made.
            if (auto counted = y.countText(left.size() + right.size() + 1); !counted)
                throw MemoryRefused(std::move(counted).error());
            y.strings()[static_cast<std::size_t>(row.result) + i] = left + right;
        }
    });
    call.setOutput(0, std::move(y));
    return {};
}

bool isSpace(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Split at runs of white space; the rest after `most` splits keeps its own.
std::vector<std::string> splitAtSpace(std::string_view text, std::size_t most) {
    std::vector<std::string> parts;
    std::size_t at = 0;
    const auto skipSpace = [&] {
        while (at < text.size() && isSpace(text[at]))
            ++at;
    };
    for (skipSpace(); at < text.size(); skipSpace()) {
        std::size_t end = at;
        if (parts.size() == most) {
            end = text.size();
            while (end > at && isSpace(text[end - 1]))
                --end;
            parts.emplace_back(text.substr(at, end - at));
            return parts;
        }
        while (end < text.size() && !isSpace(text[end]))
            ++end;
        parts.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return parts;
}

std::vector<std::string> splitAt(std::string_view text, std::string_view delimiter, std::size_t most) {
    std::vector<std::string> parts;
    std::size_t at = 0;
    while (parts.size() < most) {
        const std::size_t found = text.find(delimiter, at);
        if (found == std::string_view::npos) break;
        parts.emplace_back(text.substr(at, found - at));
        at = found + delimiter.size();
    }
    parts.emplace_back(text.substr(at));
    return parts;
}

/// ONNX StringSplit 20: a new last dimension of parts, filled up with empty text, and how many parts each
/// has.
Result<void> runSplit(const KernelCall& call) {
    const TensorData* x = TRY(textIn(call, 0));
    const std::string_view delimiter = call.text("delimiter", "");
    const std::int64_t limit = call.integer("maxsplit", -1);
    const std::size_t most = limit < 0 ? SIZE_MAX : static_cast<std::size_t>(limit);
    TensorData counts = TRY(call.make(ElementType::int64, x->shape()));
    std::vector<std::vector<std::string>> parts;
    std::size_t widest = 0;
    for (const std::string& text : x->strings()) {
        parts.push_back(delimiter.empty() ? splitAtSpace(text, most) : splitAt(text, delimiter, most));
        widest = std::max(widest, parts.back().size());
    }
    Shape shape = x->shape();
    shape.push_back(static_cast<std::int64_t>(widest));
    TensorData y = TRY(call.make(ElementType::string, shape));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        counts.as<std::int64_t>()[i] = static_cast<std::int64_t>(parts[i].size());
        std::move(parts[i].begin(), parts[i].end(),
                  y.strings().begin() + static_cast<std::ptrdiff_t>(i * widest));
    }
    call.setOutput(0, std::move(y));
    call.setOutput(1, std::move(counts));
    return {};
}

enum class CaseChange : std::uint8_t { none, lower, upper };

std::string changed(std::string text, CaseChange change) {
    for (char& c : text) {
        if (change == CaseChange::lower && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (change == CaseChange::upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
}

bool isAscii(std::string_view text) {
    return std::none_of(text.begin(), text.end(),
                        [](char c) { return static_cast<unsigned char>(c) > 0x7F; });
}

Result<CaseChange> caseChangeOf(const KernelCall& call) {
    const std::string_view change = call.text("case_change_action", "NONE");
    if (change == "NONE") return CaseChange::none;
    if (change == "LOWER") return CaseChange::lower;
    if (change == "UPPER") return CaseChange::upper;
    return call.fail("exec.bad-attribute", {"case_change_action", std::string(change)});
}

/// ONNX StringNormalizer 10: [C] or [1,C]; leaves stop words out, then changes the case. Nothing left is one
/// empty text.
Result<void> runNormalizer(const KernelCall& call) {
    const TensorData* x = TRY(textIn(call, 0));
    const bool isRow = x->rank() == 2 && x->shape()[0] == 1;
    if (x->rank() != 1 && !isRow) return call.fail("exec.bad-rank", {"1", shapeText(x->shape())});
    const CaseChange change = TRY(caseChangeOf(call));
    const bool isCaseSensitive = call.integer("is_case_sensitive", 0) != 0;
    // Words are compared as they are, or in lower case on both sides.
    const CaseChange compared = isCaseSensitive ? CaseChange::none : CaseChange::lower;
    std::vector<std::string> stopWords;
    for (const std::string& word : textsOf(call, "stopwords"))
        stopWords.push_back(changed(word, compared));
    std::sort(stopWords.begin(), stopWords.end());
    const bool needsCase = change != CaseChange::none || (!isCaseSensitive && !stopWords.empty());
    std::vector<std::string> kept;
    for (const std::string& text : x->strings()) {
        if (needsCase && !isAscii(text)) return call.fail("exec.no-case-beyond-ascii", {text});
        if (std::binary_search(stopWords.begin(), stopWords.end(), changed(text, compared))) continue;
        kept.push_back(changed(text, change));
    }
    if (kept.empty()) kept.emplace_back();
    const auto count = static_cast<std::int64_t>(kept.size());
    TensorData y = TRY(call.make(ElementType::string, isRow ? Shape{1, count} : Shape{count}));
    y.strings() = std::move(kept);
    call.setOutput(0, std::move(y));
    return {};
}

constexpr KernelEntry kStrings[] = {
    {"", "StringConcat", 20, &runConcat},
    {"", "StringNormalizer", 10, &runNormalizer},
    {"", "StringSplit", 20, &runSplit},
};

} // namespace

std::span<const KernelEntry> stringKernels() {
    return kStrings;
}

} // namespace secateur
