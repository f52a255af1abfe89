// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace secateur {

/// What kind of failure it was; decides the exit code of a program.
enum class ErrorCode {
    verification, ///< the models differ, or a check failed
    usage,        ///< asked for something that cannot be asked so
    invalidInput, ///< a file cannot be read or is invalid
    missing,      ///< something needed does not exist on this machine
    cancelled,    ///< the person stopped it
};

/// The exit code that scripts rely on: 1 verification, 2 usage, 3 invalid input, 4 missing, 130 cancelled.
constexpr int exitCodeOf(ErrorCode code) {
    switch (code) {
    case ErrorCode::verification: return 1;
    case ErrorCode::usage: return 2;
    case ErrorCode::invalidInput: return 3;
    case ErrorCode::missing: return 4;
    case ErrorCode::cancelled: return 130;
    }
    return 3;
}

/// A failure in words for people: `where` is the place (file, node, field; may be empty), `message` says what
/// happened, why, and what to do.
struct [[nodiscard]] Error {
    ErrorCode code = ErrorCode::invalidInput;
    std::string message;
    std::string where;

    /// One line: "where: message", or the message alone.
    std::string toString() const { return where.empty() ? message : where + ": " + message; }

    friend bool operator==(const Error&, const Error&) = default;
};

inline Error usageError(std::string message, std::string where = {}) {
    return {ErrorCode::usage, std::move(message), std::move(where)};
}
inline Error invalidInput(std::string message, std::string where = {}) {
    return {ErrorCode::invalidInput, std::move(message), std::move(where)};
}
inline Error missingHere(std::string message, std::string where = {}) {
    return {ErrorCode::missing, std::move(message), std::move(where)};
}
inline Error cancelled() {
    return {ErrorCode::cancelled, "cancelled", {}};
}

/// A value or an Error. `if (!r) return r.error();`, `*r`, `r->field`, or `TRY(...)`.
template <typename T> class [[nodiscard]] Result {
    static_assert(!std::is_reference_v<T>, "a Result holds values");
    static_assert(!std::is_same_v<std::remove_cv_t<T>, Error>, "a Result<Error> would be ambiguous");

  public:
    using ValueType = T;

    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}
    /// Anything that converts to T without narrowing to Error, e.g. unique_ptr<Derived> to unique_ptr<Base>.
    template <typename U>
    requires(std::is_convertible_v<U&&, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error> &&
             !std::is_same_v<std::remove_cvref_t<U>, Result>) Result(U&& value)
        : m_state(std::in_place_index<0>, std::forward<U>(value)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    /// The value; only when ok().
    T& value() & {
        assert(ok());
        return *std::get_if<0>(&m_state);
    }
    const T& value() const& {
        assert(ok());
        return *std::get_if<0>(&m_state);
    }
    T&& value() && {
        assert(ok());
        return std::move(*std::get_if<0>(&m_state));
    }
    /// The value, moved out; only when ok().
    T take() && { return std::move(*this).value(); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    /// The failure; only when not ok().
    const Error& error() const& {
        assert(!ok());
        return *std::get_if<1>(&m_state);
    }
    Error&& error() && {
        assert(!ok());
        return std::move(*std::get_if<1>(&m_state));
    }

  private:
    std::variant<T, Error> m_state;
};

/// Done, or an Error. `return {};` means done.
template <> class [[nodiscard]] Result<void> {
  public:
    using ValueType = void;

    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}

    bool ok() const { return !m_error.has_value(); }
    explicit operator bool() const { return ok(); }
    void value() const { assert(ok()); }
    void take() && { assert(ok()); }

    const Error& error() const& {
        assert(!ok());
        return *m_error;
    }
    Error&& error() && {
        assert(!ok());
        return std::move(*m_error);
    }

  private:
    std::optional<Error> m_error;
};

} // namespace secateur

/// The value of a Result, or an early return of its Error: `auto model = TRY(load(path));`. GCC and Clang
/// only.
#define TRY(expression) SECATEUR_TRY_1(expression, __COUNTER__)
#define SECATEUR_TRY_1(expression, number) SECATEUR_TRY_2(expression, number)
// The number keeps nested uses from shadowing each other.
#define SECATEUR_TRY_2(expression, number)                                                                   \
    (__extension__({                                                                                         \
        auto&& tryResult##number = (expression);                                                             \
        if (!tryResult##number.ok()) return ::std::move(tryResult##number).error();                          \
        ::std::move(tryResult##number).take();                                                               \
    }))
