// SPDX-License-Identifier: Apache-2.0
#include "core/layout/repeated_blocks.h"

#include "core/support/hash.h"

#include <map>
#include <unordered_map>

namespace secateur {
namespace {

constexpr std::size_t kRun = 4; ///< types that a block is recognised by
constexpr std::uint32_t kFewestBlocks = 4;
constexpr std::uint32_t kShortestBlock = 6;

struct Candidate {
    std::uint64_t score = 0; ///< positions covered by blocks of the usual length
    std::vector<std::uint32_t> starts;
};

/// Positions that are regularly spaced: most distances equal the most common one.
Candidate judge(const std::vector<std::uint32_t>& positions) {
    Candidate candidate;
    if (positions.size() < kFewestBlocks) return candidate;
    std::map<std::uint32_t, std::uint32_t> distances;
    for (std::size_t i = 1; i < positions.size(); ++i)
        ++distances[positions[i] - positions[i - 1]];
    std::uint32_t usual = 0;
    std::uint32_t times = 0;
    for (const auto& [distance, count] : distances) {
        if (count > times) {
            usual = distance;
            times = count;
        }
    }
    const bool isRegular = times * 5 >= (positions.size() - 1) * 4;
    if (!isRegular || usual < kShortestBlock || times + 1 < kFewestBlocks) return candidate;
    candidate.score = std::uint64_t{usual} * times;
    candidate.starts = positions;
    return candidate;
}

} // namespace

std::vector<std::uint32_t> findRepeatedBlocks(const std::vector<std::string_view>& types) {
    std::vector<std::uint32_t> blocks(types.size(), kNoIndex);
    if (types.size() < kRun * kFewestBlocks) return blocks;
    std::unordered_map<std::uint64_t, std::size_t> indexOfRun;
    std::vector<std::vector<std::uint32_t>> positions; // by run, in the order of first appearance
    for (std::size_t i = 0; i + kRun <= types.size(); ++i) {
        std::uint64_t hash = 0;
        for (std::size_t k = 0; k < kRun; ++k)
            hash = hashCombine(hash, hashText(types[i + k]));
        const auto [it, isNew] = indexOfRun.try_emplace(hash, positions.size());
        if (isNew) positions.emplace_back();
        positions[it->second].push_back(static_cast<std::uint32_t>(i));
    }
    Candidate best;
    for (const std::vector<std::uint32_t>& run : positions) {
        Candidate candidate = judge(run);
        if (candidate.score > best.score) best = std::move(candidate);
    }
    for (std::uint32_t b = 0; b < best.starts.size(); ++b) {
        const std::size_t length = best.starts[1] - best.starts[0];
        const std::size_t end =
            b + 1 < best.starts.size() ? best.starts[b + 1] : std::min(types.size(), best.starts[b] + length);
        for (std::size_t i = best.starts[b]; i < end; ++i)
            blocks[i] = b;
    }
    return blocks;
}

} // namespace secateur
