// SPDX-License-Identifier: Apache-2.0
#include "ui/inspector/find_index.h"

#include "core/ir/walk.h"

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

/// A graph input or an initializer: what to select for it, none when nothing reads it and it is no input.
std::optional<FindHit> hitOfSource(const Model& model, ValueId value) {
    if (value.isNone() || !model.isAlive(value)) return std::nullopt;
    FindHit hit;
    for (const Use use : model.uses(value)) {
        if (model.node(use.node).kind != NodeKind::operation) continue;
        hit.reader = use.node.index;
        break;
    }
    const bool isInput = model.isGraphInput(value);
    if (hit.reader == kNoIndex && !isInput) return std::nullopt;
    hit.kind = model.isInitializer(value) ? FindHit::Kind::weight : FindHit::Kind::terminal;
    hit.key = isInput && !model.isInitializer(value) ? (kInputKeyBit | value.index) : hit.reader;
    hit.text = std::string(model.name(value));
    return hit;
}

/// The nodes of the main graph and its bodies, then those of functions.
std::vector<NodeId> allNodes(const Model& model) {
    std::vector<NodeId> nodes = nodesWithin(model, model.mainGraph());
    for (const GraphId function : model.header().functions) {
        const std::vector<NodeId> more = nodesWithin(model, function);
        nodes.insert(nodes.end(), more.begin(), more.end());
    }
    return nodes;
}

/// Graph inputs, then the initializers that are none.
template <class Visit> void visitSources(const Model& model, const Visit& visit) {
    for (const ValueId value : model.graphInputs(model.mainGraph()))
        visit(value);
    for (const ValueId value : model.graph(model.mainGraph()).initializers)
        if (!model.isGraphInput(value)) visit(value);
}

} // namespace

std::vector<FindHit> findInModel(const Model& model, std::string_view query, std::size_t limit,
                                 std::size_t& total) {
    const Query wanted(query);
    std::vector<FindHit> whole, part;
    total = 0;
    if (wanted.words.empty()) return whole;
    const auto add = [&](FindHit hit, std::string_view name) {
        ++total;
        if (wanted.isWhole(name))
            whole.push_back(std::move(hit));
        else if (part.size() < limit)
            part.push_back(std::move(hit));
    };
    for (const NodeId id : allNodes(model)) {
        const std::string_view op = model.op(id), name = model.name(id);
        if (wanted.matches(op, name))
            add({FindHit::Kind::node, id.index, kNoIndex, std::string(op) + "  " + std::string(name)},
                name.empty() ? op : name);
        for (const ValueId value : model.outputs(id))
            if (!value.isNone() && wanted.matches(model.name(value)))
                add({FindHit::Kind::value, id.index, kNoIndex, std::string(model.name(value))},
                    model.name(value));
    }
    visitSources(model, [&](ValueId value) {
        if (value.isNone() || !wanted.matches(model.name(value))) return;
        if (auto hit = hitOfSource(model, value)) add(std::move(*hit), model.name(value));
    });
    whole.insert(whole.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    if (whole.size() > limit) whole.resize(limit);
    return whole;
}

std::optional<FindHit> findByName(const Model& model, std::string_view name) {
    if (name.empty()) return std::nullopt;
    std::optional<FindHit> value;
    for (const NodeId id : allNodes(model)) {
        if (model.name(id) == name)
            return FindHit{FindHit::Kind::node, id.index, kNoIndex, std::string(model.op(id))};
        for (const ValueId output : model.outputs(id))
            if (!value && !output.isNone() && model.name(output) == name)
                value = FindHit{FindHit::Kind::value, id.index, kNoIndex, std::string(name)};
    }
    if (value) return value;
    std::optional<FindHit> source;
    visitSources(model, [&](ValueId candidate) {
        if (!source && !candidate.isNone() && model.name(candidate) == name)
            source = hitOfSource(model, candidate);
    });
    return source;
}

} // namespace secateur
