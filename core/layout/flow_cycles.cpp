// SPDX-License-Identifier: Apache-2.0
#include "core/layout/flow_cycles.h"

#include <algorithm>
#include <limits>

namespace secateur {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

class CycleFinder {
  public:
    CycleFinder(std::size_t count, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges)
        : m_start(count + 1, 0), m_out(edges.size()), m_met(count, kNone), m_low(count, 0),
          m_cycle(count, kNone) {
        for (const auto& [from, to] : edges)
            ++m_start[from + 1];
        for (std::size_t i = 1; i <= count; ++i)
            m_start[i] += m_start[i - 1];
        m_next.assign(m_start.begin(), m_start.end() - 1);
        std::vector<std::uint32_t> at = m_next;
        for (const auto& [from, to] : edges)
            m_out[at[from]++] = to;
    }

    std::vector<std::uint32_t> run() {
        for (std::uint32_t i = 0; i < m_met.size(); ++i)
            if (m_met[i] == kNone) walkFrom(i);
        return std::move(m_cycle);
    }

  private:
    void enter(std::uint32_t node) {
        m_met[node] = m_low[node] = m_count++;
        m_path.push_back(node);
        m_open.push_back(node);
    }

    void walkFrom(std::uint32_t root) {
        enter(root);
        while (!m_path.empty()) {
            const std::uint32_t node = m_path.back();
            if (m_next[node] < m_start[node + 1]) {
                const std::uint32_t to = m_out[m_next[node]++];
                if (m_met[to] == kNone)
                    enter(to);
                else if (m_cycle[to] == kNone)
                    m_low[node] = std::min(m_low[node], m_met[to]);
                continue;
            }
            m_path.pop_back();
            if (!m_path.empty()) m_low[m_path.back()] = std::min(m_low[m_path.back()], m_low[node]);
            if (m_low[node] == m_met[node]) close(node);
        }
    }

    void close(std::uint32_t first) {
        for (std::uint32_t node = kNone; node != first;) {
            node = m_open.back();
            m_open.pop_back();
            m_cycle[node] = m_met[first];
        }
    }

    std::vector<std::uint32_t> m_start, m_out, m_next;
    std::vector<std::uint32_t> m_met, m_low; ///< by node, in the order of the walk
    std::vector<std::uint32_t> m_cycle;
    std::vector<std::uint32_t> m_path; ///< from the root to the node in hand
    std::vector<std::uint32_t> m_open; ///< met, their cycle not complete
    std::uint32_t m_count = 0;
};

} // namespace

std::vector<std::uint32_t> flowCycles(std::size_t count,
                                      const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
    return CycleFinder(count, edges).run();
}

} // namespace secateur
