// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/noted_problems.h"

#include "core/messages/messages.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace secateur {
namespace {

/// A list that calls share.
struct SharedList {
    NodeId first;            ///< of the calls
    std::uint64_t calls = 0; ///< all of them
    const std::vector<Problem>* problems = nullptr;
};

/// The lists in the order of their first calls.
std::vector<SharedList> sharedLists(const std::map<std::uint32_t, CalleeProblems>& ofCalls) {
    std::vector<SharedList> lists;
    std::map<const void*, std::size_t> places;
    for (const auto& [call, problems] : ofCalls) {
        const auto [at, isNew] = places.try_emplace(problems.get(), lists.size());
        if (isNew) lists.push_back({NodeId(call), 0, problems.get()});
        ++lists[at->second].calls;
    }
    return lists;
}

std::string atNode(const Model& model, NodeId node, const std::string& text) {
    return formatMessage("inference.at-node", {nodeText(model, node), text});
}

} // namespace

void CallProblems::add(Problem problem) {
    if (m_seen.emplace(problem.id, problem.text).second) m_problems.push_back(std::move(problem));
}

void CallProblems::add(const CalleeProblems& problems) {
    if (!problems || !m_seenLists.insert(problems).second) return;
    for (const Problem& problem : *problems)
        add(problem);
}

CalleeProblems CallProblems::take() {
    if (m_problems.empty()) return nullptr;
    return std::make_shared<const std::vector<Problem>>(std::move(m_problems));
}

void NotedProblems::clear() {
    m_own.clear();
    m_ofCalls.clear();
}

void NotedProblems::erase(std::uint32_t node) {
    m_own.erase(node);
    m_ofCalls.erase(node);
}

void NotedProblems::forgetErased(const Model& model) {
    const auto isGone = [&](const auto& entry) { return !model.isAlive(NodeId(entry.first)); };
    std::erase_if(m_own, isGone);
    std::erase_if(m_ofCalls, isGone);
}

void NotedProblems::tell(std::uint32_t call, CalleeProblems problems) {
    if (problems) m_ofCalls[call] = std::move(problems);
}

std::vector<Problem> NotedProblems::list(const Model& model) const {
    std::vector<Problem> all;
    for (const auto& [node, problems] : m_own) {
        for (const Problem& problem : problems) {
            all.push_back(problem);
            all.back().text = atNode(model, NodeId(node), problem.text);
        }
    }
    // Calls that are given different inputs have lists of their own, which say much the same.
    struct Told {
        const Problem* problem;
        NodeId first;
        std::uint64_t calls;
    };
    std::vector<Told> told;
    std::map<std::tuple<std::string_view, std::string_view>, std::size_t> places;
    for (const SharedList& list : sharedLists(m_ofCalls)) {
        for (const Problem& problem : *list.problems) {
            const auto [at, isNew] = places.try_emplace({problem.id, problem.text}, told.size());
            if (isNew) told.push_back({&problem, list.first, 0});
            told[at->second].calls += list.calls;
        }
    }
    for (const auto& [problem, first, calls] : told) {
        Problem& made = all.emplace_back(*problem);
        made.node = first;
        made.text = atNode(model, first, problem->text);
        if (calls > 1)
            made.text = formatMessage("inference.more-calls", {made.text, std::to_string(calls - 1)});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Problem& a, const Problem& b) { return a.node < b.node; });
    return all;
}

} // namespace secateur
