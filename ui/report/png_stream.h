// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/support/atomic_file.h"
#include "core/support/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

struct z_stream_s;

namespace secateur {

/// Writes a PNG row by row, so that a picture of any height needs the memory of one row. 8 bits of red, green
/// and blue. The file appears when it is whole.
class PngStream {
  public:
    /// Both sides at least 1 and below 2^31.
    static Result<PngStream> create(const std::filesystem::path& target, std::uint32_t width,
                                    std::uint32_t height, double pixelsPerInch);
    PngStream(PngStream&&) noexcept;
    PngStream& operator=(PngStream&&) = delete; // would have to end what it takes the place of
    ~PngStream();

    /// The next row: 3 * width bytes.
    Result<void> addRow(std::span<const std::uint8_t> rgb);
    /// After the last row.
    Result<void> finish();

  private:
    PngStream(AtomicFile file, std::uint32_t width);
    Result<void> chunk(const char* type, std::span<const std::uint8_t> bytes);
    Result<void> deflateInto(std::span<const std::uint8_t> bytes, bool isLast);

    AtomicFile m_file;
    std::uint32_t m_width = 0;
    std::unique_ptr<z_stream_s> m_zip;
    std::vector<std::uint8_t> m_filtered, m_before, m_packed;
};

} // namespace secateur
