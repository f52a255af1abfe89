// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/size_expression.h"

#include "core/ir/dim_names.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace secateur {
namespace {

constexpr std::size_t kMostTerms = 8;
constexpr std::size_t kMostFactors = 8;
constexpr std::size_t kMostLetters = 1024; // of all names together

std::int64_t wrappedSum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrappedProduct(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

bool isPlainName(std::string_view name) {
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto isFit = [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); };
    return !name.empty() && isLetter(name.front()) && std::all_of(name.begin(), name.end(), isFit);
}

/// Names that could be read as something else stand in quotes.
std::string quoted(const std::string& name) {
    if (isPlainName(name)) return name;
    std::string text = "'";
    for (const char c : name) {
        text += c;
        if (c == '\'') text += c;
    }
    return text + "'";
}

/// Reads back what SizeExpression writes.
class Reader {
  public:
    explicit Reader(std::string_view text) : m_rest(text) {}

    [[nodiscard]] bool isAtEnd() const { return m_rest.empty(); }
    bool take(char c) {
        if (m_rest.empty() || m_rest.front() != c) return false;
        m_rest.remove_prefix(1);
        return true;
    }
    std::optional<std::int64_t> takeNumber() {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), number);
        if (error != std::errc()) return std::nullopt;
        m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
        return number;
    }
    std::string takeName() {
        std::string name;
        if (!take('\'')) {
            const std::size_t end = std::min(m_rest.find_first_of("*+"), m_rest.size());
            name = m_rest.substr(0, end);
            m_rest.remove_prefix(end);
            return name;
        }
        while (!m_rest.empty()) {
            const char c = m_rest.front();
            m_rest.remove_prefix(1);
            if (c == '\'' && !take('\'')) break;
            name += c;
        }
        return name;
    }

  private:
    std::string_view m_rest;
};

} // namespace

SizeExpression SizeExpression::number(std::int64_t value) {
    SizeExpression expression;
    expression.add({}, value);
    return expression;
}

std::optional<SizeExpression> SizeExpression::of(const onnx::TensorShapeProto::Dimension& dim) {
    if (dim.has_dim_value()) return number(dim.dim_value());
    const std::string& symbol = dim.dim_param();
    if (symbol.empty()) return std::nullopt;
    SizeExpression expression;
    if (!isComputedSize(symbol)) {
        expression.add({symbol}, 1);
        return expression;
    }
    // "=-2*N*S+3*N+1": each term begins with its factor where that is not 1.
    Reader reader(std::string_view(symbol).substr(1));
    do {
        Product product;
        const auto factor = reader.takeNumber();
        if (!factor) product.push_back(reader.takeName());
        while (reader.take('*'))
            product.push_back(reader.takeName());
        std::sort(product.begin(), product.end());
        expression.add(product, factor.value_or(1));
    } while (reader.take('+'));
    return reader.isAtEnd() ? std::optional(expression) : std::nullopt;
}

onnx::TensorShapeProto::Dimension SizeExpression::dimension() const {
    onnx::TensorShapeProto::Dimension dim;
    if (const auto known = value()) {
        dim.set_dim_value(*known);
        return dim;
    }
    const auto& [first, factor] = *m_terms.begin();
    const bool isPlain = m_terms.size() == 1 && first.size() == 1 && factor == 1;
    if (isPlain && !isComputedSize(first.front())) {
        dim.set_dim_param(first.front());
        return dim;
    }
    std::string text;
    for (auto at = m_terms.rbegin(); at != m_terms.rend(); ++at) { // the number, if any, last
        text += text.empty() ? kComputedSize : '+';
        const bool hasFactor = at->second != 1 || at->first.empty();
        if (hasFactor) text += std::to_string(at->second);
        bool isFirst = !hasFactor;
        for (const std::string& name : at->first) {
            if (!isFirst) text += '*';
            text += quoted(name);
            isFirst = false;
        }
    }
    dim.set_dim_param(text);
    return dim;
}

std::optional<SizeExpression> SizeExpression::plus(const SizeExpression& other) const {
    SizeExpression sum = *this;
    for (const auto& [product, factor] : other.m_terms)
        sum.add(product, factor);
    return sum.isShort() ? std::optional(sum) : std::nullopt;
}

std::optional<SizeExpression> SizeExpression::minus(const SizeExpression& other) const {
    SizeExpression difference = *this;
    for (const auto& [product, factor] : other.m_terms)
        difference.add(product, wrappedProduct(factor, -1));
    return difference.isShort() ? std::optional(difference) : std::nullopt;
}

std::optional<SizeExpression> SizeExpression::times(const SizeExpression& other) const {
    SizeExpression result;
    for (const auto& [left, a] : m_terms) {
        for (const auto& [right, b] : other.m_terms) {
            Product product = left;
            product.insert(product.end(), right.begin(), right.end());
            std::sort(product.begin(), product.end());
            result.add(product, wrappedProduct(a, b));
        }
    }
    return result.isShort() ? std::optional(result) : std::nullopt;
}

std::optional<SizeExpression> SizeExpression::over(const SizeExpression& other) const {
    if (other.m_terms.size() != 1) return std::nullopt; // 0, or a sum
    const auto& [names, divisor] = *other.m_terms.begin();
    SizeExpression quotient;
    for (const auto& [product, factor] : m_terms) {
        if (divisor == -1 && factor == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
        if (factor % divisor != 0) return std::nullopt;
        if (!std::includes(product.begin(), product.end(), names.begin(), names.end())) return std::nullopt;
        Product left;
        std::set_difference(product.begin(), product.end(), names.begin(), names.end(),
                            std::back_inserter(left));
        quotient.add(left, factor / divisor);
    }
    return quotient;
}

std::optional<std::int64_t> SizeExpression::value() const {
    if (m_terms.empty()) return 0;
    const bool isNumber = m_terms.size() == 1 && m_terms.begin()->first.empty();
    return isNumber ? std::optional(m_terms.begin()->second) : std::nullopt;
}

bool SizeExpression::isNeverNegative() const {
    return std::all_of(m_terms.begin(), m_terms.end(), [](const auto& term) { return term.second > 0; });
}

void SizeExpression::add(const Product& product, std::int64_t factor) {
    if (factor == 0) return;
    const auto [at, isNew] = m_terms.try_emplace(product, factor);
    if (isNew) return;
    at->second = wrappedSum(at->second, factor);
    if (at->second == 0) m_terms.erase(at);
}

bool SizeExpression::isShort() const {
    std::size_t letters = 0;
    for (const auto& [product, factor] : m_terms) {
        if (product.size() > kMostFactors) return false;
        for (const std::string& name : product)
            letters += name.size();
    }
    return m_terms.size() <= kMostTerms && letters <= kMostLetters;
}

namespace {

/// `isOne`: the type is of one tensor, and not of any number of them.
void forgetSizes(onnx::TypeProto& type, bool isOne) {
    if (type.has_sequence_type())
        return forgetSizes(*type.mutable_sequence_type()->mutable_elem_type(), false);
    if (type.has_map_type()) return forgetSizes(*type.mutable_map_type()->mutable_value_type(), false);
    if (type.has_optional_type())
        return forgetSizes(*type.mutable_optional_type()->mutable_elem_type(), isOne);
    if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return;
    for (onnx::TensorShapeProto::Dimension& dim :
         *type.mutable_tensor_type()->mutable_shape()->mutable_dim()) {
        const bool isName = isNamedDim(dim.dim_param()) && !isComputedSize(dim.dim_param());
        if (!isOne || !isName) dim.clear_dim_param();
    }
}

} // namespace

void forgetComputedSizes(onnx::TypeProto& type) {
    forgetSizes(type, true);
}

bool mayBeNegative(std::string_view symbol) {
    if (!isComputedSize(symbol)) return false;
    onnx::TensorShapeProto::Dimension dim;
    dim.set_dim_param(std::string(symbol));
    const auto expression = SizeExpression::of(dim);
    return !expression || !expression->isNeverNegative();
}

} // namespace secateur
