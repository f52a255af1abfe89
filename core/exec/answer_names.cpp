// SPDX-License-Identifier: Apache-2.0
#include "core/exec/answer_names.h"

#include <algorithm>

namespace secateur {
namespace {

class Renaming {
  public:
    explicit Renaming(const PathNames& names) {
        for (const auto& [path, name] : names)
            if (!path.empty()) m_names.emplace_back(path.string(), name);
        // One path may begin with another one.
        std::stable_sort(m_names.begin(), m_names.end(),
                         [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    }
    void apply(std::string& text) const {
        for (const auto& [path, name] : m_names)
            for (std::size_t at = text.find(path); at != std::string::npos;
                 at = text.find(path, at + name.size()))
                text.replace(at, path.size(), name);
    }
    void apply(std::vector<std::string>& texts) const {
        for (std::string& text : texts)
            apply(text);
    }

  private:
    std::vector<std::pair<std::string, std::string>> m_names;
};

} // namespace

Result<JobAnswer> named(Result<JobAnswer> answer, const PathNames& names) {
    const Renaming renaming(names);
    if (!answer) {
        Error error = answer.error();
        renaming.apply(error.message);
        renaming.apply(error.where);
        return error;
    }
    for (auto* texts : {&answer->notes, &answer->skippedSets, &answer->sets, &answer->unmatched})
        renaming.apply(*texts);
    renaming.apply(answer->mismatch);
    renaming.apply(answer->silence);
    for (SideAnswer& side : answer->sides)
        renaming.apply(side.failure);
    return answer;
}

} // namespace secateur
