// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace secateur {

/// Spreads every bit of `x` over all 64; the same number in gives the same number out on every machine.
constexpr std::uint64_t mixBits(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ULL;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ULL;
    x ^= x >> 32;
    return x;
}

/// Folds `value` into `seed`; order matters.
constexpr std::uint64_t hashCombine(std::uint64_t seed, std::uint64_t value) {
    return mixBits((seed ^ (value + 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL + (seed << 6));
}

/// 64-bit hash of bytes fed in pieces: the cuts do not matter. Not for untrusted secrets; stable on
/// little-endian machines, so it may be stored.
class StreamHash {
  public:
    explicit StreamHash(std::uint64_t seed = 0)
        : m_lanes{seed ^ 0x9e3779b97f4a7c15ULL, seed + 0xc2b2ae3d27d4eb4fULL, ~seed, seed * 3 + 1} {}

    StreamHash& add(const void* bytes, std::size_t count) {
        const auto* p = static_cast<const unsigned char*>(bytes);
        m_total += count;
        if (m_pending > 0) {
            const std::size_t take = count < kBlock - m_pending ? count : kBlock - m_pending;
            if (take > 0) std::memcpy(m_block + m_pending, p, take);
            m_pending += take;
            p += take;
            count -= take;
            if (m_pending < kBlock) return *this;
            absorb(m_block);
            m_pending = 0;
        }
        for (; count >= kBlock; p += kBlock, count -= kBlock)
            absorb(p);
        if (count > 0) std::memcpy(m_block, p, count);
        m_pending = count;
        return *this;
    }

    /// The bytes of a number or an enum.
    template <typename T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) StreamHash& add(T value) {
        return add(&value, sizeof value);
    }

    /// A text with its length, so that "ab","c" and "a","bc" differ.
    StreamHash& addText(std::string_view text) {
        add(static_cast<std::uint64_t>(text.size()));
        return add(text.data(), text.size());
    }

    /// The hash of everything added so far; more may be added afterwards.
    std::uint64_t digest() const {
        std::uint64_t hash = hashCombine(m_total, m_lanes[0]);
        for (int lane = 1; lane < 4; ++lane)
            hash = hashCombine(hash, m_lanes[lane]);
        std::size_t at = 0;
        for (; at + 8 <= m_pending; at += 8)
            hash = hashCombine(hash, word(m_block + at));
        if (at < m_pending) {
            unsigned char last[8] = {};
            std::memcpy(last, m_block + at, m_pending - at);
            hash = hashCombine(hash, word(last));
        }
        return hash;
    }

  private:
    static constexpr std::size_t kBlock = 32;

    static std::uint64_t word(const unsigned char* p) {
        std::uint64_t w;
        std::memcpy(&w, p, sizeof w);
        return w;
    }
    void absorb(const unsigned char* p) {
        // Four independent lanes keep the multiplier busy: several GB/s on one core.
        for (std::size_t lane = 0; lane < 4; ++lane) {
            const std::uint64_t x = (m_lanes[lane] ^ word(p + 8 * lane)) * 0x9fb21c651e98df25ULL;
            m_lanes[lane] = x ^ (x >> 35);
        }
    }

    std::uint64_t m_lanes[4];
    std::uint64_t m_total = 0;
    std::size_t m_pending = 0;
    unsigned char m_block[kBlock] = {};
};

/// 64-bit hash of some bytes.
inline std::uint64_t hashBytes(const void* bytes, std::size_t count, std::uint64_t seed = 0) {
    return StreamHash(seed).add(bytes, count).digest();
}
inline std::uint64_t hashText(std::string_view text, std::uint64_t seed = 0) {
    return hashBytes(text.data(), text.size(), seed);
}

} // namespace secateur
