// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/memory_pool.h"
#include "core/ir/tensor.h"
#include "core/ir/type.h"
#include "core/support/result.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace secateur {

using Shape = std::vector<std::int64_t>;

/// Product of the dimensions; none on overflow or where one is negative.
[[nodiscard]] std::optional<std::uint64_t> elementCountOf(std::span<const std::int64_t> shape);
/// "2x3x4"; "scalar" for no dimensions.
[[nodiscard]] std::string shapeText(std::span<const std::int64_t> shape);

/// Bytes that one element takes in memory while a model runs: the size of its type, 1 for booleans and for
/// types narrower than a byte (these are packed in files only); 0 for strings and unknown types.
[[nodiscard]] std::size_t cellBytes(ElementType type);

/// Bytes that a string takes beside its handle.
[[nodiscard]] inline std::uint64_t textBytes(const std::string& text) {
    constexpr std::size_t kInHandle = 15;
    return text.size() <= kInHandle ? 0 : text.size() + 1;
}

/// A dense tensor while a model runs: row major, one cell an element. Copies share the cells; whoever made it
/// may write to them until he hands it on, then nobody does.
class TensorData {
  public:
    TensorData() = default;

    /// Zeroed cells (empty strings). Fails on negative or overflowing dimensions, and beyond the limit of the
    /// pool.
    static Result<TensorData> make(MemoryPool& pool, ElementType type, Shape shape);
    /// The contents of a tensor of the model. Fails where these are missing or malformed.
    static Result<TensorData> from(MemoryPool& pool, const Tensor& tensor);

    /// A view of cells that lie elsewhere and must outlive it and its copies; for no strings. Precondition:
    /// the dimensions have a product.
    static TensorData over(std::byte* cells, ElementType type, Shape shape);

    [[nodiscard]] ElementType type() const { return m_type; }
    [[nodiscard]] const Shape& shape() const { return m_shape; }
    [[nodiscard]] std::size_t rank() const { return m_shape.size(); }
    [[nodiscard]] std::uint64_t count() const { return m_count; }
    [[nodiscard]] bool isString() const { return m_type == ElementType::string; }
    [[nodiscard]] std::uint64_t byteSize() const { return m_count * cellBytes(m_type); }

    [[nodiscard]] const std::byte* data() const { return m_cells.get(); }
    [[nodiscard]] std::byte* data() { return m_cells.get(); }
    /// The cells as C++ values; T is the storage type of the element type.
    template <typename T> [[nodiscard]] std::span<const T> as() const {
        assert(sizeof(T) == cellBytes(m_type));
        return {reinterpret_cast<const T*>(m_cells.get()), static_cast<std::size_t>(m_count)};
    }
    template <typename T> [[nodiscard]] std::span<T> as() {
        assert(sizeof(T) == cellBytes(m_type));
        return {reinterpret_cast<T*>(m_cells.get()), static_cast<std::size_t>(m_count)};
    }
    [[nodiscard]] const std::vector<std::string>& strings() const { return m_text->strings; }
    [[nodiscard]] std::vector<std::string>& strings() { return m_text->strings; }
    /// Counts `bytes` of text that are about to be put into strings, for as long as these live; fails beyond
    /// the limit of the pool. Other elements take none.
    Result<void> countText(std::uint64_t bytes) const;
    /// The same for what the strings hold, as far as it was not counted.
    Result<void> countText() const;

    /// The same cells under another shape of as many elements.
    [[nodiscard]] TensorData reshaped(Shape shape) const;
    /// The same cells as another element type of the same cell size.
    [[nodiscard]] TensorData retyped(ElementType type) const;
    /// As a tensor of a model (an initializer): packed, little endian.
    [[nodiscard]] TensorPtr toTensor() const;

  private:
    ElementType m_type = ElementType::undefined;
    Shape m_shape;
    std::uint64_t m_count = 0;
    std::shared_ptr<std::byte> m_cells;
    /// Strings, and what holds their place in the pool.
    struct Text {
        std::vector<std::string> strings;
        MemoryPool pool;
        std::vector<std::shared_ptr<void>> charges;
        std::uint64_t charged = 0; ///< bytes of text
    };
    std::shared_ptr<Text> m_text;
};

} // namespace secateur
