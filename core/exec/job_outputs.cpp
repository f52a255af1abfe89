// SPDX-License-Identifier: Apache-2.0
#include "core/exec/job_outputs.h"

#include "core/exec/narrowed.h"
#include "core/messages/messages.h"
#include "core/support/text.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>

namespace secateur {
namespace {

constexpr std::size_t kMostNamed = 3; ///< outputs without a partner that are named in a sentence

/// The first position of each name.
std::map<std::string, std::size_t, std::less<>> positionsOf(const std::vector<std::string>& names) {
    std::map<std::string, std::size_t, std::less<>> positions;
    for (std::size_t i = 0; i < names.size(); ++i)
        positions.emplace(names[i], i);
    return positions;
}

class OutputPairing {
  public:
    OutputPairing(const Job& job, JobModel& first, JobModel& second, JobAnswer& answer)
        : m_job(job), m_first(first), m_second(second), m_answer(answer) {}

    Result<std::vector<std::pair<std::size_t, std::size_t>>> run() {
        TRY(narrowSecond());
        TRY(narrowFirst());
        TRY(matchOutputs());
        return std::move(m_outputs);
    }

  private:
    /// Where the first model's outputs are inner values of the second, they become its outputs.
    Result<void> narrowSecond() const {
        const Model& model = m_second.model();
        const auto outputs = positionsOf(m_second.outputNames());
        std::vector<ValueId> wanted;
        bool isAnyInner = false;
        for (const std::string& name : m_first.outputNames()) {
            if (const auto at = outputs.find(name); at != outputs.end()) {
                wanted.push_back(model.graphOutputs(model.mainGraph())[at->second]);
                continue;
            }
            const ValueId inner = name.empty() ? ValueId() : model.findValue(name, model.mainGraph());
            if (inner.isNone() || model.producer(inner).isNone()) continue;
            wanted.push_back(inner);
            isAnyInner = true;
        }
        // What is compared by several models is all that is asked for: a backward half does not run.
        // Under other names they are paired by position, for which all have to stay.
        const bool isWhole = wanted.size() == m_first.outputNames().size();
        if (!isAnyInner && (m_job.sides.empty() || !isWhole)) return {};
        return m_second.narrow(wanted, m_job.device);
    }

    /// Where a cut model was given second, what it gives is all that is compared: its outputs, which are
    /// outputs or inner values of the first, become those of the first. Where only inner values fit, the
    /// others may have other names.
    Result<void> narrowFirst() {
        const std::vector<std::string> first = m_first.outputNames(), second = m_second.outputNames();
        const Model& model = m_first.model();
        const auto places = positionsOf(first);
        std::vector<ValueId> wanted;
        bool isAnyShared = false;
        for (const std::string& name : second) {
            const auto place = places.find(name);
            const bool isShared = place != places.end();
            const ValueId value = isShared       ? model.graphOutputs(model.mainGraph())[place->second]
                                  : name.empty() ? ValueId()
                                                 : model.findValue(name, model.mainGraph());
            isAnyShared = isAnyShared || isShared;
            // A value without a node is an input, which says nothing about the model.
            if (!value.isNone() && (isShared || !model.producer(value).isNone())) wanted.push_back(value);
        }
        const bool isCut = wanted.size() == second.size() && first.size() > second.size();
        if (wanted.empty() || (isAnyShared && !isCut)) return {};
        const auto ofSecond = positionsOf(second);
        for (const std::string& name : first)
            if (!ofSecond.contains(name)) m_answer.onlyInFirst.push_back(name);
        tellOnlyIn(m_answer.onlyInFirst, 0);
        m_answer.mismatch = m_answer.notes.back();
        return m_first.narrow(wanted, m_job.device);
    }

    Result<void> matchOutputs() {
        const std::vector<std::string> first = m_first.outputNames(), second = m_second.outputNames();
        const auto byName = positionsOf(second);
        for (std::size_t i = 0; i < first.size(); ++i)
            if (const auto at = byName.find(first[i]); at != byName.end()) match(first[i], i, at->second);
        if (m_outputs.empty() && first.size() == second.size())
            for (std::size_t i = 0; i < first.size(); ++i) {
                match(first[i], i, i);
                m_answer.notes.push_back(formatMessage("exec.paired-by-position", {first[i], second[i]}));
            }
        if (m_outputs.empty()) return usageError(std::string(message("exec.no-common-output")));
        const auto tellOnly = [&](const std::vector<std::string>& names, bool isFirst) {
            std::vector<bool> isMatched(names.size(), false);
            for (const auto& pair : m_outputs)
                isMatched[isFirst ? pair.first : pair.second] = true;
            std::vector<std::string> only;
            for (std::size_t i = 0; i < names.size(); ++i)
                if (!isMatched[i]) only.push_back(names[i]);
            if (only.empty()) return;
            auto& known = isFirst ? m_answer.onlyInFirst : m_answer.onlyInSecond;
            known.insert(known.end(), only.begin(), only.end());
            tellOnlyIn(only, isFirst ? 0 : 1);
            if (!isFirst) return;
            m_answer.unmatched = only;
            m_answer.mismatch = m_answer.notes.back();
        };
        tellOnly(first, true);
        tellOnly(second, false);
        return {};
    }

    /// Outputs that one model alone has.
    void tellOnlyIn(const std::vector<std::string>& only, std::size_t which) {
        const std::string list = quotedList(only, kMostNamed);
        m_answer.notes.push_back(formatMessage(
            "exec.outputs-only-in", {formatCount(only.size()), m_job.paths[which].string(), list}));
    }

    void match(const std::string& name, std::size_t first, std::size_t second) {
        m_outputs.emplace_back(first, second);
        ComparedOutput output;
        output.name = name;
        m_answer.compared.push_back(std::move(output));
    }

    const Job& m_job;
    JobModel& m_first;
    JobModel& m_second;
    JobAnswer& m_answer;
    std::vector<std::pair<std::size_t, std::size_t>> m_outputs; ///< positions in the first and the second
};

} // namespace

Result<std::vector<std::pair<std::size_t, std::size_t>>> pairOutputs(const Job& job, JobModel& first,
                                                                     JobModel& second, JobAnswer& answer) {
    return OutputPairing(job, first, second, answer).run();
}

} // namespace secateur
