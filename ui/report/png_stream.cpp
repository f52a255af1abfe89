// SPDX-License-Identifier: Apache-2.0
#include "ui/report/png_stream.h"

#include "core/messages/sentences.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <zlib.h>

namespace secateur {

namespace {

constexpr std::size_t kPackedBytes = 1 << 16; ///< of one IDAT chunk
constexpr int kBytesPerPixel = 3;

void appendBig(std::vector<std::uint8_t>& out, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8)
        out.push_back(static_cast<std::uint8_t>(number >> shift));
}

std::span<const std::byte> asBytes(std::span<const std::uint8_t> bytes) {
    return std::as_bytes(bytes);
}

} // namespace

PngStream::PngStream(AtomicFile file, std::uint32_t width)
    : m_file(std::move(file)), m_width(width), m_zip(std::make_unique<z_stream_s>()),
      m_filtered(std::size_t{width} * kBytesPerPixel + 1), m_before(std::size_t{width} * kBytesPerPixel),
      m_packed(kPackedBytes) {
    *m_zip = {};
    // Pictures of graphs are large areas of one colour: a low level packs them nearly as well, in a third of
    // the time.
    deflateInit(m_zip.get(), 4);
    m_zip->next_out = m_packed.data();
    m_zip->avail_out = static_cast<uInt>(m_packed.size());
}

PngStream::PngStream(PngStream&&) noexcept = default;

PngStream::~PngStream() {
    if (m_zip) deflateEnd(m_zip.get());
}

Result<PngStream> PngStream::create(const std::filesystem::path& target, std::uint32_t width,
                                    std::uint32_t height, double pixelsPerInch) {
    AtomicFile file = TRY(AtomicFile::create(target));
    constexpr std::array<std::uint8_t, 8> kSignature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    TRY(file.write(asBytes(kSignature)));
    PngStream png(std::move(file), width);
    std::vector<std::uint8_t> header;
    appendBig(header, width);
    appendBig(header, height);
    header.insert(header.end(), {8, 2, 0, 0, 0}); // 8 bits, RGB, deflate, adaptive filters, not interlaced
    TRY(png.chunk("IHDR", header));
    std::vector<std::uint8_t> density;
    const auto perMetre = static_cast<std::uint32_t>(std::lround(pixelsPerInch / 0.0254));
    appendBig(density, perMetre);
    appendBig(density, perMetre);
    density.push_back(1);
    TRY(png.chunk("pHYs", density));
    return png;
}

Result<void> PngStream::chunk(const char* type, std::span<const std::uint8_t> bytes) {
    std::vector<std::uint8_t> head;
    appendBig(head, static_cast<std::uint32_t>(bytes.size()));
    head.insert(head.end(), type, type + 4);
    uLong check = crc32(0, head.data() + 4, 4);
    // Given no bytes at no place zlib starts anew instead of going on.
    if (!bytes.empty()) check = crc32(check, bytes.data(), static_cast<uInt>(bytes.size()));
    std::vector<std::uint8_t> tail;
    appendBig(tail, static_cast<std::uint32_t>(check));
    TRY(m_file.write(asBytes(head)));
    TRY(m_file.write(asBytes(bytes)));
    return m_file.write(asBytes(tail));
}

Result<void> PngStream::deflateInto(std::span<const std::uint8_t> bytes, bool isLast) {
    m_zip->next_in = const_cast<Bytef*>(bytes.data()); // zlib's interface is older than const; it only reads
    m_zip->avail_in = static_cast<uInt>(bytes.size());
    for (;;) {
        const int state = deflate(m_zip.get(), isLast ? Z_FINISH : Z_NO_FLUSH);
        if (state == Z_STREAM_ERROR) return invalidInput(std::string(message("ui.png.deflate")));
        const std::size_t used = m_packed.size() - m_zip->avail_out;
        const bool isDone = isLast && state == Z_STREAM_END;
        if (m_zip->avail_out == 0 || (isDone && used > 0)) {
            TRY(chunk("IDAT", std::span(m_packed.data(), used)));
            m_zip->next_out = m_packed.data();
            m_zip->avail_out = static_cast<uInt>(m_packed.size());
        }
        if (isLast ? isDone : m_zip->avail_in == 0) return {};
    }
}

Result<void> PngStream::addRow(std::span<const std::uint8_t> rgb) {
    // Filter 2 (up): rows of a drawing are mostly equal to the row above.
    m_filtered[0] = 2;
    for (std::size_t i = 0; i < m_before.size(); ++i)
        m_filtered[i + 1] = static_cast<std::uint8_t>(rgb[i] - m_before[i]);
    m_before.assign(rgb.begin(), rgb.end());
    return deflateInto(m_filtered, false);
}

Result<void> PngStream::finish() {
    TRY(deflateInto({}, true));
    TRY(chunk("IEND", {}));
    return m_file.commit();
}

} // namespace secateur
