// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/tensor.h"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace secateur {

/// The bytes a model is read from: a file, and pieces that had to be put together (a message given in two
/// parts). Views into either stay valid as long as the ByteRefs made here.
class ByteSource {
  public:
    explicit ByteSource(ByteRef file)
        : m_file(std::move(file)), m_pieces(std::make_shared<std::deque<std::string>>()) {}

    [[nodiscard]] std::string_view all() const {
        return {reinterpret_cast<const char*>(m_file.data), m_file.size};
    }
    [[nodiscard]] bool isInFile(const char* at) const {
        const std::string_view file = all();
        return std::less_equal<>{}(file.data(), at) && std::less_equal<>{}(at, file.data() + file.size());
    }
    /// Keeps bytes of our own alive.
    std::string_view keep(std::string bytes) { return m_pieces->emplace_back(std::move(bytes)); }
    /// A view of the source as a range with an owner.
    [[nodiscard]] ByteRef ref(std::string_view view) const {
        const auto* data = reinterpret_cast<const std::byte*>(view.data());
        return {isInFile(view.data()) ? m_file.owner : std::shared_ptr<const void>(m_pieces), data,
                view.size()};
    }

  private:
    ByteRef m_file;
    std::shared_ptr<std::deque<std::string>> m_pieces;
};

} // namespace secateur
