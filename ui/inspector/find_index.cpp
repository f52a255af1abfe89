// SPDX-License-Identifier: Apache-2.0
#include "ui/inspector/find_index.h"

#include "core/ir/walk.h"
#include "core/layout/layout_graph.h"

#include <algorithm>

namespace secateur {

namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool containsWord(std::string_view text, std::string_view word) {
    const auto isSame = [](char a, char b) { return lower(a) == b; };
    return std::search(text.begin(), text.end(), word.begin(), word.end(), isSame) != text.end();
}

struct Query {
    std::vector<std::string> words;
    std::string whole;

    explicit Query(std::string_view text) {
        std::string word;
        for (const char c : text) {
            whole.push_back(lower(c));
            if (c != ' ') {
                word.push_back(lower(c));
            } else if (!word.empty()) {
                words.push_back(std::move(word));
                word.clear();
            }
        }
        if (!word.empty()) words.push_back(word);
    }

    /// Every word in one of the two texts.
    [[nodiscard]] bool matches(std::string_view a, std::string_view b = {}) const {
        return std::all_of(words.begin(), words.end(),
                           [&](const std::string& w) { return containsWord(a, w) || containsWord(b, w); });
    }
    [[nodiscard]] bool isWhole(std::string_view text) const {
        return text.size() == whole.size() && std::equal(text.begin(), text.end(), whole.begin(),
                                                         [](char a, char b) { return lower(a) == b; });
    }
};

} // namespace

std::vector<FindHit> findInModel(const Model& model, std::string_view query, std::size_t limit,
                                 std::size_t& total) {
    const Query wanted(query);
    std::vector<FindHit> whole, part;
    total = 0;
    if (wanted.words.empty()) return whole;
    const auto add = [&](FindHit::Kind kind, std::uint32_t key, std::string_view name, std::string text) {
        ++total;
        if (wanted.isWhole(name))
            whole.push_back({kind, key, std::move(text)});
        else if (part.size() < limit)
            part.push_back({kind, key, std::move(text)});
    };
    for (const NodeId id : nodesWithin(model, model.mainGraph())) {
        const std::string_view op = model.op(id), name = model.name(id);
        if (wanted.matches(op, name))
            add(FindHit::Kind::node, id.index, name.empty() ? op : name,
                std::string(op) + "  " + std::string(name));
        for (const ValueId value : model.outputs(id))
            if (!value.isNone() && wanted.matches(model.name(value)))
                add(FindHit::Kind::value, id.index, model.name(value), std::string(model.name(value)));
    }
    const auto addSource = [&](ValueId value) {
        if (value.isNone() || !model.isAlive(value) || !wanted.matches(model.name(value))) return;
        NodeId reader;
        for (const Use use : model.uses(value)) {
            if (model.node(use.node).kind != NodeKind::operation) continue;
            reader = use.node;
            break;
        }
        const bool isInput = model.isGraphInput(value);
        if (reader.isNone() && !isInput) return;
        add(model.isInitializer(value) ? FindHit::Kind::weight : FindHit::Kind::terminal,
            isInput && !model.isInitializer(value) ? (kInputKeyBit | value.index) : reader.index,
            model.name(value), std::string(model.name(value)));
    };
    for (const ValueId value : model.graphInputs(model.mainGraph()))
        addSource(value);
    for (const ValueId value : model.graph(model.mainGraph()).initializers)
        if (!model.isGraphInput(value)) addSource(value);
    whole.insert(whole.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    if (whole.size() > limit) whole.resize(limit);
    return whole;
}

} // namespace secateur
