// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sizes that inference computes with names of dimensions in them: 8*N, N*S + 2. Heavy: for .cpp files of
// core/onnx.

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// Begins the symbol of a computed size. Symbols of the model that begin so are not trusted.
constexpr char kComputedSize = '=';

/// A sum of products of whole numbers and named dimensions, in one canonical form: two sizes are the same for
/// every choice of the dimensions where their symbols are. Bounded: what grows too long is not known any
/// more. Sums and products wrap as int64 does, and stay equal where they were.
class SizeExpression {
  public:
    /// What a dimension or an element of a shape stands for; none where nothing is known.
    [[nodiscard]] static std::optional<SizeExpression> of(const onnx::TensorShapeProto::Dimension& dim);
    [[nodiscard]] static SizeExpression number(std::int64_t value);

    /// A number, the name of a dimension, or a symbol "=8*N".
    [[nodiscard]] onnx::TensorShapeProto::Dimension dimension() const;
    /// None where the result would be too long.
    [[nodiscard]] std::optional<SizeExpression> plus(const SizeExpression& other) const;
    [[nodiscard]] std::optional<SizeExpression> minus(const SizeExpression& other) const;
    [[nodiscard]] std::optional<SizeExpression> times(const SizeExpression& other) const;
    /// The quotient where it is one without remainder whatever the dimensions are, but for a divisor of 0.
    [[nodiscard]] std::optional<SizeExpression> over(const SizeExpression& other) const;

    [[nodiscard]] std::optional<std::int64_t> value() const; ///< where no name is in it
    /// Is it 0 or more for all sizes of the dimensions?
    [[nodiscard]] bool isNeverNegative() const;

  private:
    using Product = std::vector<std::string>; // names, sorted
    void add(const Product& product, std::int64_t factor);
    [[nodiscard]] bool isShort() const;

    std::map<Product, std::int64_t> m_terms; // no factor is 0
};

[[nodiscard]] inline bool isComputedSize(std::string_view symbol) {
    return !symbol.empty() && symbol.front() == kComputedSize;
}

/// Was it made by inference, whose own names begin with `stem`?
[[nodiscard]] inline bool isOwnSymbol(std::string_view symbol, std::string_view stem) {
    return isComputedSize(symbol) || symbol.starts_with(stem);
}

/// Does a name that begins with `stem` occur in it?
[[nodiscard]] inline bool mentionsSymbol(std::string_view symbol, std::string_view stem) {
    return isComputedSize(symbol) ? symbol.find(stem) != std::string_view::npos : symbol.starts_with(stem);
}

/// Takes symbols out of a type that name no dimension, and those that a file made up in the form of computed
/// sizes.
void forgetComputedSizes(onnx::TypeProto& type);

/// Is it the symbol of a computed size that may be below 0, so that it is no dimension?
[[nodiscard]] bool mayBeNegative(std::string_view symbol);

} // namespace secateur
