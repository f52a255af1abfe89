// SPDX-License-Identifier: Apache-2.0
#include "core/exec/statistics.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    if (below + 1 >= sorted.size()) return sorted.back();
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

/// The largest rank, counted from 1 (0: none), whose order statistic lies below the median with a confidence
/// of 97.5 %: the number of measurements below the median is binomial(n, 1/2).
std::size_t lowRank(std::size_t count) {
    constexpr double kTail = 0.025;
    // In logarithms: 2^-n is nothing for a thousand measurements.
    double term = -static_cast<double>(count) * std::log(2.0), sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
        sum += std::exp(term);
        if (sum > kTail) return k;
        term += std::log(static_cast<double>(count - k)) - std::log(static_cast<double>(k + 1));
    }
    return 0;
}

} // namespace

Statistics statisticsOf(std::vector<double> numbers) {
    Statistics found;
    found.count = numbers.size();
    if (numbers.empty()) return found;
    std::sort(numbers.begin(), numbers.end());
    found.lowest = numbers.front();
    found.highest = numbers.back();
    found.median = quantile(numbers, 0.5);
    found.low5 = quantile(numbers, 0.05);
    found.high95 = quantile(numbers, 0.95);
    const std::size_t rank = lowRank(numbers.size());
    const std::size_t low = rank == 0 ? 0 : rank - 1;
    found.medianLow = numbers[low];
    found.medianHigh = numbers[numbers.size() - 1 - low];
    return found;
}

} // namespace secateur
