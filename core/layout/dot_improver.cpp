// SPDX-License-Identifier: Apache-2.0
#include "core/layout/dot_improver.h"

#include "core/support/child_process.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace secateur {
namespace {

constexpr double kPixelsOfAnInch = 72;
constexpr double kBoxHeight = 0.3; ///< inches; heights do not decide orders

void appendNumber(std::string& out, double value) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 3);
    out.append(buffer, end.ptr);
}

/// The next word of a line, cut from its front; empty at the end.
std::string_view nextWord(std::string_view& line) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) return line = {};
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return word;
}

} // namespace

std::optional<LayerOrderCache::Order> LayerOrderCache::find(std::uint64_t hash) const {
    const std::lock_guard lock(m_mutex);
    const auto at = m_orders.find(hash);
    return at == m_orders.end() ? std::nullopt : std::optional(at->second);
}

void LayerOrderCache::put(std::uint64_t hash, Order order) {
    const std::lock_guard lock(m_mutex);
    m_orders.insert_or_assign(hash, std::move(order));
}

std::size_t LayerOrderCache::size() const {
    const std::lock_guard lock(m_mutex);
    return m_orders.size();
}

std::string layersToDot(const LayerGraph& graph) {
    std::string dot = "digraph g {\ngraph [nodesep=0.222, ranksep=0.4, splines=none];\n"
                      "node [shape=box, fixedsize=true, label=\"\", height=";
    appendNumber(dot, kBoxHeight);
    dot += "];\nedge [arrowhead=none];\n";
    for (std::size_t l = 0; l < graph.layers.size(); ++l) {
        const std::string rank = "r" + std::to_string(l);
        dot += "{rank=same; " + rank + " [style=invis, width=0.01];";
        for (const std::uint32_t place : graph.layers[l]) {
            const LayerGraph::Place& p = graph.places[place];
            dot += " p" + std::to_string(place) + " [width=";
            appendNumber(dot, std::max(0.02, (p.left + p.right) / kPixelsOfAnInch));
            dot += "];";
        }
        dot += "}\n";
        if (l > 0) dot += "r" + std::to_string(l - 1) + " -> " + rank + " [style=invis, weight=0];\n";
    }
    for (const LayerGraph::Link& link : graph.links) {
        dot += "p" + std::to_string(link.upper) + " -> p" + std::to_string(link.lower);
        const bool isInner = graph.isVirtual(link.upper) && graph.isVirtual(link.lower);
        dot += isInner ? " [weight=8];\n" : ";\n";
    }
    return dot + "}\n";
}

LayerOrderCache::Order orderFromPlain(const LayerGraph& graph, std::string_view plain) {
    std::vector<double> x(graph.places.size(), 0);
    std::size_t found = 0;
    while (!plain.empty()) {
        const std::size_t end = std::min(plain.find('\n'), plain.size());
        std::string_view line = plain.substr(0, end);
        plain.remove_prefix(std::min(end + 1, plain.size()));
        if (nextWord(line) != "node") continue;
        const std::string_view name = nextWord(line);
        const std::string_view at = nextWord(line);
        std::uint32_t place = 0;
        double value = 0;
        if (name.size() < 2 || name.front() != 'p') continue;
        const auto number = std::from_chars(name.data() + 1, name.data() + name.size(), place);
        const auto position = std::from_chars(at.data(), at.data() + at.size(), value);
        if (number.ec != std::errc() || position.ec != std::errc() || place >= x.size()) return {};
        x[place] = value;
        ++found;
    }
    if (found != graph.places.size()) return {};
    LayerOrderCache::Order order;
    for (const std::vector<std::uint32_t>& layer : graph.layers) {
        std::vector<std::uint32_t> positions(layer.size());
        for (std::uint32_t i = 0; i < positions.size(); ++i)
            positions[i] = i;
        std::stable_sort(positions.begin(), positions.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return x[layer[a]] < x[layer[b]]; });
        order.push_back(std::move(positions));
    }
    return order;
}

DotImprover::DotImprover(std::shared_ptr<LayerOrderCache> cache, Options options)
    : m_cache(std::move(cache)), m_options(std::move(options)), m_program(findProgram(m_options.program)) {}

std::vector<std::vector<std::uint32_t>> DotImprover::orderOf(const LayerGraph& graph) {
    ++m_counters.asked;
    std::size_t boxes = 0;
    for (std::uint32_t p = 0; p < graph.places.size(); ++p)
        boxes += graph.isVirtual(p) ? 0 : 1;
    if (boxes > m_options.mostBoxes) return {};
    const std::uint64_t hash = structuralHash(graph);
    std::optional<LayerOrderCache::Order> order = m_cache->find(hash);
    if (order) {
        ++m_counters.fromCache;
    } else {
        if (m_program.empty() || m_counters.spent >= m_options.inAll || m_options.cancel.isCancelled())
            return {};
        order = run(graph);
        m_cache->put(hash, *order);
    }
    if (order->size() != graph.layers.size()) return {};
    std::vector<std::vector<std::uint32_t>> layers(graph.layers.size());
    for (std::size_t l = 0; l < layers.size(); ++l)
        for (const std::uint32_t position : (*order)[l])
            if (position < graph.layers[l].size()) layers[l].push_back(graph.layers[l][position]);
    return layers;
}

LayerOrderCache::Order DotImprover::run(const LayerGraph& graph) {
    ++m_counters.runs;
    ChildRequest request;
    request.arguments = {m_program, "-Tplain"};
    request.input = layersToDot(graph);
    request.deadline = std::min(m_options.perBlock, m_options.inAll - m_counters.spent);
    request.memoryLimit = m_options.memoryLimit;
    const Result<ChildOutput> drawn = runChild(request, m_options.cancel);
    if (drawn) m_counters.spent += drawn->elapsed;
    LayerOrderCache::Order order;
    if (drawn && drawn->isFine()) order = orderFromPlain(graph, drawn->output);
    if (order.empty()) ++m_counters.failures;
    return order;
}

} // namespace secateur
