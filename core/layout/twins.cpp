// SPDX-License-Identifier: Apache-2.0
#include "core/layout/twins.h"

#include <string_view>

namespace secateur {
namespace {

constexpr std::size_t kMostReaders = 16;

/// What speaks for a candidate.
constexpr int kMadeTheValue = 1;
constexpr int kReadsTheValue = 2;
constexpr int kReadsTheWeight = 3;
constexpr int kSameFamily = 2;
constexpr int kIsItsGradient = 4;
constexpr int kWasTheTwin = 1;

bool isMatrixProduct(std::string_view op) {
    return op == "MatMul" || op == "Gemm" || op == "FusedMatMul";
}

int likeness(std::string_view gradient, std::string_view forward) {
    if (gradient.size() > forward.size() && gradient.substr(0, forward.size()) == forward)
        return kIsItsGradient;
    if (gradient == forward) return kSameFamily;
    return isMatrixProduct(gradient) && isMatrixProduct(forward) ? kSameFamily : 0;
}

class TwinChooser {
  public:
    explicit TwinChooser(LayoutGraph& graph) : m_graph(graph), m_best(graph.nodes.size()) {
        for (const LayoutEdge& e : graph.edges) {
            if (isForward(e.to)) m_readers[e.value].push_back(e.to);
        }
        for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
            if (!isForward(n)) continue;
            for (const LayoutRow& row : graph.nodes[n].rows) {
                if (isWeight(row)) m_readers[row.key].push_back(n);
            }
        }
    }

    void run() {
        for (const LayoutEdge& e : m_graph.edges) {
            if (!isGradient(e.to) || !isForward(e.from)) continue;
            consider(e.to, e.from, kMadeTheValue);
            considerReaders(e.to, e.value, kReadsTheValue);
        }
        for (std::uint32_t n = 0; n < m_graph.nodes.size(); ++n) {
            if (!isGradient(n)) continue;
            for (const LayoutRow& row : m_graph.nodes[n].rows) {
                if (isWeight(row)) considerReaders(n, row.key, kReadsTheWeight);
            }
            m_graph.nodes[n].twin = m_best[n].node;
        }
    }

  private:
    struct Choice {
        std::uint32_t node = kNoIndex;
        int score = 0;
    };

    static bool isWeight(const LayoutRow& row) {
        return row.kind == LayoutRow::Kind::weight && row.key != kNoIndex;
    }
    bool isForward(std::uint32_t node) const {
        const LayoutNode& n = m_graph.nodes[node];
        const bool isTerminal = n.kind == OperatorKind::input || n.kind == OperatorKind::output;
        return columnOf(n.role) == 0 && !isTerminal;
    }
    bool isGradient(std::uint32_t node) const { return columnOf(m_graph.nodes[node].role) == 1; }

    void considerReaders(std::uint32_t gradient, std::uint32_t value, int evidence) {
        const auto readers = m_readers.find(value);
        if (readers == m_readers.end() || readers->second.size() > kMostReaders) return;
        for (const std::uint32_t reader : readers->second)
            consider(gradient, reader, evidence);
    }

    void consider(std::uint32_t gradient, std::uint32_t forward, int evidence) {
        const LayoutNode& node = m_graph.nodes[gradient];
        const int score = evidence + likeness(node.title, m_graph.nodes[forward].title) +
                          (node.twin == forward ? kWasTheTwin : 0);
        if (score > m_best[gradient].score) m_best[gradient] = {forward, score};
    }

    LayoutGraph& m_graph;
    std::vector<Choice> m_best;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_readers; ///< forward nodes by value
};

} // namespace

void chooseTwins(LayoutGraph& graph) {
    TwinChooser(graph).run();
}

} // namespace secateur
