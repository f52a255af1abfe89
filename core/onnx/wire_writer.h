// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/onnx/wire.h"
#include "core/onnx/wire_schema.h"
#include "core/support/result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace secateur::wire {

/// Writes nested messages as a stream, in two passes over the same calls: the first counts, since the length
/// of a message stands before it; the second gives the bytes to a sink, piece by piece.
class Writer {
  public:
    using Sink = std::function<Result<void>(std::string_view)>;

    /// Bytes counted or written so far.
    [[nodiscard]] std::uint64_t size() const { return m_size; }
    /// Ends the counting pass; from here on the same calls are made again.
    void beginWriting(Sink sink);
    /// Ends the writing pass; the first failure of the sink, if there was one.
    Result<void> finish();

    void varint(std::uint32_t number, std::uint64_t value);
    void float32(std::uint32_t number, float value);
    void bytes(std::uint32_t number, std::string_view value);
    /// A field of `total` bytes: `pattern` over and over.
    void repeated(std::uint32_t number, std::string_view pattern, std::uint64_t total);
    /// Whole fields that are serialized already.
    void raw(std::string_view fields) { put(fields); }
    /// A message, written by `body`.
    template <class Body> void message(std::uint32_t number, Body&& body) {
        if (m_isCounting) {
            const std::size_t slot = m_lengths.size();
            m_lengths.push_back(0);
            const std::uint64_t before = m_size;
            body();
            m_lengths[slot] = m_size - before;
            m_size += varintSize(tagOf(number)) + varintSize(m_lengths[slot]);
            return;
        }
        header(number, m_lengths[m_next++]);
        body();
    }

  private:
    static constexpr std::size_t kBuffer = 256 * 1024;
    static std::uint64_t tagOf(std::uint32_t number) { return number << 3; }
    void header(std::uint32_t number, std::uint64_t length);
    void put(std::string_view bytes);
    void flush();

    bool m_isCounting = true;
    std::uint64_t m_size = 0;
    std::vector<std::uint64_t> m_lengths; // of messages, in the order in which they begin
    std::size_t m_next = 0;
    std::string m_buffer;
    Sink m_sink;
    Result<void> m_status;
};

/// Fields of a message that are kept serialized (`rest`), merged among those written one by one: protobuf
/// writes known fields by number and unknown ones last.
class Rest {
  public:
    Rest(Writer& writer, Message message, std::string_view fields)
        : m_writer(writer), m_message(message), m_reader(fields) {
        advance();
    }
    /// Leaves out a field that is written in another way.
    void leaveOut(std::uint32_t number) {
        m_leftOut = number;
        skipLeftOut();
    }
    /// Writes those of the known fields that come before `number`.
    void upTo(std::uint32_t number) {
        while (m_hasField && m_field.number < number && isKnown(m_message, m_field))
            write();
    }
    /// Writes what is left.
    void finish() {
        while (m_hasField)
            write();
    }

  private:
    void write() {
        m_writer.raw(m_field.whole);
        advance();
    }
    void advance() {
        m_hasField = m_reader.next(m_field);
        skipLeftOut();
    }
    void skipLeftOut() {
        while (m_hasField && m_leftOut != 0 && m_field.number == m_leftOut)
            m_hasField = m_reader.next(m_field);
    }

    Writer& m_writer;
    Message m_message;
    Reader m_reader;
    Field m_field;
    std::uint32_t m_leftOut = 0;
    bool m_hasField = false;
};

} // namespace secateur::wire
