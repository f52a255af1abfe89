// SPDX-License-Identifier: Apache-2.0
#include "core/messages/sentences.h"

#include "embedded/message_catalogues.inc"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cassert>
#include <charconv>
#include <map>
#include <optional>

namespace secateur {
namespace {

/// All areas merged. Read once, then only looked at, from any thread.
class Catalogue {
  public:
    Catalogue() {
        for (const std::string_view text : kCatalogues) {
            const auto json = nlohmann::json::parse(text, nullptr, false);
            // The texts are part of the program: a test reads every one of them.
            assert(json.is_object());
            if (!json.is_object()) continue;
            for (const auto& [id, sentence] : json.items()) {
                if (!sentence.is_string()) continue;
                m_sentences.insert_or_assign(id, sentence.get<std::string>());
            }
        }
    }
    [[nodiscard]] const std::string* find(std::string_view id) const {
        const auto at = m_sentences.find(id);
        return at == m_sentences.end() ? nullptr : &at->second;
    }
    [[nodiscard]] std::vector<std::string> ids() const {
        std::vector<std::string> ids;
        for (const auto& [id, sentence] : m_sentences)
            ids.push_back(id);
        return ids;
    }

  private:
    std::map<std::string, std::string, std::less<>> m_sentences;
};

const Catalogue& catalogue() {
    static const Catalogue kCatalogue;
    return kCatalogue;
}

/// One place of a sentence: {2} or {2|one|many}.
struct Place {
    std::size_t argument = 0;
    std::string_view one, many; ///< empty: the argument itself
    bool isChoice = false;
};

/// The place that the text between two braces stands for; none where braces are just braces.
std::optional<Place> placeIn(std::string_view inner) {
    Place place;
    const auto [end, error] = std::from_chars(inner.data(), inner.data() + inner.size(), place.argument);
    if (error != std::errc()) return std::nullopt;
    const std::string_view tail = inner.substr(static_cast<std::size_t>(end - inner.data()));
    if (tail.empty()) return place;
    const std::size_t bar = tail.find('|', 1);
    if (tail.front() != '|' || bar == std::string_view::npos) return std::nullopt;
    place.isChoice = true;
    place.one = tail.substr(1, bar - 1);
    place.many = tail.substr(bar + 1);
    return place;
}

std::string fill(std::string_view sentence, const std::vector<std::string>& arguments) {
    std::string text;
    for (std::size_t at = 0; at < sentence.size();) {
        const std::size_t open = sentence.find('{', at);
        const std::size_t close = open == std::string_view::npos ? open : sentence.find('}', open);
        if (close == std::string_view::npos) return text.append(sentence.substr(at));
        text.append(sentence.substr(at, open - at));
        at = close + 1;
        const auto place = placeIn(sentence.substr(open + 1, close - open - 1));
        if (!place || place->argument >= arguments.size()) {
            text.append(sentence.substr(open, at - open));
        } else if (!place->isChoice) {
            text.append(arguments[place->argument]);
        } else {
            const std::string& number = arguments[place->argument];
            const bool isOne =
                number == "1" || number == "-1" || number == "\u22121"; // a change of minus one
            text.append(isOne ? place->one : place->many);
        }
    }
    return text;
}

} // namespace

std::string_view message(std::string_view id) {
    if (const std::string* sentence = catalogue().find(id)) return *sentence;
    // A missing sentence is a fault of ours that a test looks for; the id is still better than nothing.
    thread_local std::map<std::string, std::string, std::less<>> unknown;
    auto at = unknown.find(id);
    if (at == unknown.end()) at = unknown.emplace(std::string(id), fmt::format("[{}]", id)).first;
    return at->second;
}

bool hasMessage(std::string_view id) {
    return catalogue().find(id) != nullptr;
}

std::vector<std::string> messageIds() {
    return catalogue().ids();
}

std::string formatMessage(std::string_view id, const std::vector<std::string>& arguments) {
    return fill(message(id), arguments);
}

} // namespace secateur
