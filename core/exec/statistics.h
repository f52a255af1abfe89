// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace secateur {

/// What repeated measurements say, without leaving any out. In the unit of the numbers.
struct Statistics {
    std::size_t count = 0;
    double median = 0, low5 = 0, high95 = 0; ///< 5 % and 95 % of the measurements lie below
    double lowest = 0, highest = 0;
    double medianLow = 0, medianHigh = 0; ///< a 95 % confidence interval of the median
};

/// Quantiles by linear interpolation; the interval of the median by order statistics (binomial, no assumption
/// about the distribution): with fewer than 6 numbers it is all of their range. Zeroes for no numbers.
[[nodiscard]] Statistics statisticsOf(std::vector<double> numbers);

} // namespace secateur
