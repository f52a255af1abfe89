// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace secateur {

/// Repeatable random numbers: the SplitMix64 sequence of a seed (Steele, Lea, Flood: Fast splittable
/// pseudorandom number generators, 2014). The same on every machine.
class RandomStream {
  public:
    explicit RandomStream(std::uint64_t seed) : m_state(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (m_state += 0x9E3779B97F4A7C15U);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }
    /// In [0, 1), 53 random bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    /// Standard normal (Box and Muller).
    double normal();

  private:
    std::uint64_t m_state;
    double m_spare = 0;
    bool m_hasSpare = false;
};

/// A seed that depends on a base and a number, e.g. the run's seed and a node's id.
[[nodiscard]] std::uint64_t mixSeed(std::uint64_t base, std::uint64_t number);

} // namespace secateur
