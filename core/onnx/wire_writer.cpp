// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/wire_writer.h"

#include <algorithm>
#include <cstring>

namespace secateur::wire {

void Writer::beginWriting(Sink sink) {
    m_isCounting = false;
    m_size = 0;
    m_next = 0;
    m_sink = std::move(sink);
    m_buffer.reserve(kBuffer);
}

Result<void> Writer::finish() {
    flush();
    return m_status;
}

void Writer::flush() {
    if (m_status.ok() && !m_buffer.empty()) m_status = m_sink(m_buffer);
    m_buffer.clear();
}

void Writer::put(std::string_view bytes) {
    m_size += bytes.size();
    if (m_isCounting) return;
    if (m_buffer.size() + bytes.size() > kBuffer) flush();
    if (bytes.size() < kBuffer)
        m_buffer += bytes;
    else if (m_status.ok())
        m_status = m_sink(bytes);
}

void Writer::header(std::uint32_t number, std::uint64_t length) {
    if (m_isCounting) {
        m_size += varintSize(tagOf(number)) + varintSize(length);
        return;
    }
    if (m_buffer.size() + 20 > kBuffer) flush();
    const std::size_t before = m_buffer.size();
    appendTag(m_buffer, number, WireType::length);
    appendVarint(m_buffer, length);
    m_size += m_buffer.size() - before;
}

void Writer::varint(std::uint32_t number, std::uint64_t value) {
    if (m_isCounting) {
        m_size += varintSize(tagOf(number)) + varintSize(value);
        return;
    }
    if (m_buffer.size() + 20 > kBuffer) flush();
    const std::size_t before = m_buffer.size();
    appendTag(m_buffer, number, WireType::varint);
    appendVarint(m_buffer, value);
    m_size += m_buffer.size() - before;
}

void Writer::float32(std::uint32_t number, float value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    std::string tag;
    appendTag(tag, number, WireType::fixed32);
    put(tag);
    put({bytes, sizeof bytes});
}

void Writer::bytes(std::uint32_t number, std::string_view value) {
    header(number, value.size());
    put(value);
}

void Writer::repeated(std::uint32_t number, std::string_view pattern, std::uint64_t total) {
    if (pattern.empty()) total = 0;
    header(number, total);
    if (m_isCounting) {
        m_size += total;
        return;
    }
    std::string block;
    while (block.size() < 64 * 1024 && block.size() < total)
        block += pattern;
    const std::size_t step = block.size() - block.size() % pattern.size();
    for (std::uint64_t left = total; left > 0;) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, step));
        put(std::string_view(block).substr(0, count));
        left -= count;
    }
}

} // namespace secateur::wire
