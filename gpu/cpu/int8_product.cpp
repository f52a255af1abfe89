// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/int8_product.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace secateur {
namespace {

constexpr int kPanelColumns = 16;
constexpr int kRowsAtOnce = 4;

using PanelProduct = void (*)(const std::int16_t* a, std::int64_t stepOfA, const std::int8_t* cells,
                              std::int64_t pairs, std::int32_t* sums);

/// sums[row][column] for `kRows` rows and the columns of one panel.
template <int kRows>
void panelProduct(const std::int16_t* a, std::int64_t stepOfA, const std::int8_t* cells, std::int64_t pairs,
                  std::int32_t* sums) {
    std::uint32_t found[kRows][kPanelColumns] = {};
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
        const std::int8_t* line = cells + pair * 2 * kPanelColumns;
        for (int r = 0; r < kRows; ++r) {
            const std::int32_t first = a[r * stepOfA + 2 * pair], second = a[r * stepOfA + 2 * pair + 1];
            for (int c = 0; c < kPanelColumns; ++c)
                found[r][c] += static_cast<std::uint32_t>(first * line[2 * c] + second * line[2 * c + 1]);
        }
    }
    std::memcpy(sums, found, sizeof found);
}

#if defined(__x86_64__)
/// The same with 256 bit registers: two products and their sum in each 32 bit lane.
template <int kRows>
__attribute__((target("avx2"))) void wideProduct(const std::int16_t* a, std::int64_t stepOfA,
                                                 const std::int8_t* cells, std::int64_t pairs,
                                                 std::int32_t* sums) {
    __m256i low[kRows], high[kRows];
    for (int r = 0; r < kRows; ++r)
        low[r] = high[r] = _mm256_setzero_si256();
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
        const auto* line = reinterpret_cast<const __m128i*>(cells + pair * 2 * kPanelColumns);
        const __m256i left = _mm256_cvtepi8_epi16(_mm_loadu_si128(line));
        const __m256i right = _mm256_cvtepi8_epi16(_mm_loadu_si128(line + 1));
        for (int r = 0; r < kRows; ++r) {
            std::int32_t both = 0;
            std::memcpy(&both, a + r * stepOfA + 2 * pair, sizeof both);
            const __m256i numbers = _mm256_set1_epi32(both);
            low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(numbers, left));
            high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(numbers, right));
        }
    }
    for (int r = 0; r < kRows; ++r) {
        auto* to = reinterpret_cast<__m256i*>(sums + r * kPanelColumns);
        _mm256_storeu_si256(to, low[r]);
        _mm256_storeu_si256(to + 1, high[r]);
    }
}
#endif

/// By the number of rows, less one.
const PanelProduct* productsOfThisMachine() {
    static constexpr PanelProduct kPlain[] = {&panelProduct<1>, &panelProduct<2>, &panelProduct<3>,
                                              &panelProduct<4>};
#if defined(__x86_64__)
    static constexpr PanelProduct kWide[] = {&wideProduct<1>, &wideProduct<2>, &wideProduct<3>,
                                             &wideProduct<4>};
    static const bool kHasWide = __builtin_cpu_supports("avx2") != 0;
    if (kHasWide) return kWide;
#endif
    return kPlain;
}

} // namespace

Int8Weights::Int8Weights(const Int8Matrix& matrix, const std::vector<std::int32_t>& zeros)
    : m_columns(matrix.columns), m_pairs((matrix.inner + 1) / 2) {
    const std::int64_t panels = (m_columns + kPanel - 1) / kPanel;
    m_cells.assign(static_cast<std::size_t>(panels * m_pairs * 2 * kPanel), 0);
    m_zeros.assign(static_cast<std::size_t>(panels * kPanel), 0);
    // Unsigned cells are kept less 128, and so are their zero points.
    constexpr std::int32_t kMiddle = 128;
    const std::int32_t shift = matrix.isSigned ? 0 : kMiddle;
    for (std::int64_t c = 0; c < m_columns; ++c)
        m_zeros[static_cast<std::size_t>(c)] =
            zeros.empty() ? -shift : zeros[zeros.size() == 1 ? 0 : static_cast<std::size_t>(c)] - shift;
    for (std::int64_t k = 0; k < matrix.inner; ++k) {
        for (std::int64_t c = 0; c < m_columns; ++c) {
            const std::byte cell = matrix.cells[k * matrix.stepInner + c * matrix.stepColumn];
            const std::int64_t line = (c / kPanel * m_pairs + k / 2) * 2 * kPanel;
            m_cells[static_cast<std::size_t>(line + c % kPanel * 2 + k % 2)] =
                matrix.isSigned ? static_cast<std::int8_t>(cell)
                                : static_cast<std::int8_t>(static_cast<std::int32_t>(cell) - kMiddle);
        }
    }
}

std::uint64_t Int8Weights::bytesFor(std::int64_t inner, std::int64_t columns) {
    const auto panels = static_cast<std::uint64_t>((columns + kPanel - 1) / kPanel);
    return panels * static_cast<std::uint64_t>(kPanel) *
           (static_cast<std::uint64_t>(inner + 1) + sizeof(std::int32_t));
}

void Int8Weights::multiplyPanel(const std::int16_t* a, std::int64_t rows, std::int64_t panel, std::int32_t* y,
                                std::int64_t stepOfY) const {
    const PanelProduct* products = productsOfThisMachine();
    const std::int8_t* cells = m_cells.data() + panel * m_pairs * 2 * kPanel;
    const std::int32_t* zeros = m_zeros.data() + panel * kPanel;
    const std::int64_t columns = std::min(kPanel, m_columns - panel * kPanel), length = rowLength();
    const bool hasZeros = std::any_of(zeros, zeros + columns, [](std::int32_t zero) { return zero != 0; });
    std::int32_t sums[kRowsAtOnce * kPanelColumns];
    for (std::int64_t row = 0; row < rows; row += kRowsAtOnce) {
        const std::int64_t count = std::min<std::int64_t>(kRowsAtOnce, rows - row);
        products[count - 1](a + row * length, length, cells, m_pairs, sums);
        for (std::int64_t r = 0; r < count; ++r) {
            std::int32_t* to = y + (row + r) * stepOfY + panel * kPanel;
            if (!hasZeros) {
                std::copy_n(sums + r * kPanel, columns, to);
                continue;
            }
            std::uint32_t total = 0;
            for (std::int64_t k = 0; k < length; ++k)
                total += static_cast<std::uint32_t>(a[(row + r) * length + k]);
            for (std::int64_t c = 0; c < columns; ++c)
                to[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[r * kPanel + c]) -
                                                  total * static_cast<std::uint32_t>(zeros[c]));
        }
    }
}

void Int8Weights::multiply(const std::int16_t* a, std::int64_t rows, std::int32_t* y, std::int64_t stepOfY,
                           ThreadPool* threads) const {
    constexpr std::int64_t kRowBlock = 32, kGrain = 1 << 18; // products worth a thread of their own
    const std::int64_t panels = (m_columns + kPanel - 1) / kPanel;
    const std::int64_t blocks = (rows + kRowBlock - 1) / kRowBlock;
    const auto work = [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t at = from; at < to; ++at) {
            const std::int64_t row = at / panels * kRowBlock;
            multiplyPanel(a + row * rowLength(), std::min(kRowBlock, rows - row), at % panels,
                          y + row * stepOfY, stepOfY);
        }
    };
    const std::int64_t each = std::min(kRowBlock, rows) * rowLength() * kPanel;
    if (threads == nullptr)
        work(0, blocks * panels);
    else
        threads->forRange(blocks * panels,
                          std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(each, 1)), work);
}

void widenRows(const std::byte* cells, bool isSigned, std::int32_t zero, std::int64_t rows,
               std::int64_t inner, std::int64_t length, std::int16_t* to) {
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::byte* from = cells + row * inner;
        std::int16_t* line = to + row * length;
        if (isSigned)
            for (std::int64_t k = 0; k < inner; ++k)
                line[k] = static_cast<std::int16_t>(static_cast<std::int8_t>(from[k]) - zero);
        else
            for (std::int64_t k = 0; k < inner; ++k)
                line[k] = static_cast<std::int16_t>(static_cast<std::uint8_t>(from[k]) - zero);
        std::fill(line + inner, line + length, std::int16_t{0});
    }
}

} // namespace secateur
