// SPDX-License-Identifier: Apache-2.0
//
// ONNX TfIdfVectorizer; ai.onnx.ml LabelEncoder, Binarizer: features out of words, numbers and labels.
#include "core/exec/cells.h"
#include "core/exec/elementwise.h"
#include "core/exec/kernel_tables.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

namespace secateur {
namespace {

template <typename T> const T* attributeAs(const KernelCall& call, std::string_view name) {
    const Attribute* attribute = call.attribute(name);
    return attribute == nullptr ? nullptr : std::get_if<T>(&attribute->value);
}

// --- TfIdfVectorizer ---

enum class Weighting : std::uint8_t { count, weight, both };

/// The n-grams that are counted: each has a number in the pool, and a column of the result.
template <typename Token> struct GramPool {
    std::map<std::vector<Token>, std::size_t> numbers;
    std::vector<std::int64_t> columns;
    std::vector<float> weights; ///< one a gram; empty: all 1
    std::size_t shortest = 1, longest = 1, mostSkips = 0;
    std::int64_t width = 0; ///< columns of the result
    Weighting weighting = Weighting::count;
};

Result<Weighting> weightingOf(const KernelCall& call) {
    const std::string_view mode = call.text("mode", "");
    if (mode == "TF") return Weighting::count;
    if (mode == "IDF") return Weighting::weight;
    if (mode == "TFIDF") return Weighting::both;
    return call.fail("exec.bad-attribute", {"mode", std::string(mode)});
}

/// Cuts the list of tokens into grams: those of length n begin where ngram_counts[n - 1] says.
template <typename Token>
Result<GramPool<Token>> gramPoolOf(const KernelCall& call, const std::vector<Token>& tokens) {
    GramPool<Token> pool;
    const auto* starts = call.integers("ngram_counts");
    const auto* columns = call.integers("ngram_indexes");
    const std::int64_t shortest = call.integer("min_gram_length", 1),
                       longest = call.integer("max_gram_length", 1),
                       skips = call.integer("max_skip_count", 0);
    const auto misfit = [&] { return call.fail("exec.bad-grams"); };
    if (starts == nullptr || columns == nullptr || shortest < 1 || longest < shortest || skips < 0)
        return misfit();
    for (std::size_t n = 1; n <= starts->size(); ++n) {
        const std::int64_t begin = (*starts)[n - 1],
                           end = n < starts->size() ? (*starts)[n] : static_cast<std::int64_t>(tokens.size());
        if (begin < 0 || end < begin || end > static_cast<std::int64_t>(tokens.size()) ||
            (end - begin) % static_cast<std::int64_t>(n) != 0)
            return misfit();
        for (auto at = static_cast<std::size_t>(begin); at < static_cast<std::size_t>(end); at += n) {
            const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(at);
            pool.numbers.emplace(std::vector<Token>(first, first + static_cast<std::ptrdiff_t>(n)),
                                 pool.columns.size());
            pool.columns.push_back(0);
        }
    }
    if (columns->size() != pool.columns.size()) return misfit();
    pool.columns = *columns;
    for (const std::int64_t column : pool.columns) {
        if (column < 0 || column >= std::int64_t{1} << 32) return misfit();
        pool.width = std::max(pool.width, column + 1);
    }
    if (const auto* weights = call.reals("weights")) pool.weights = *weights;
    if (!pool.weights.empty() && pool.weights.size() != pool.columns.size()) return misfit();
    pool.shortest = static_cast<std::size_t>(shortest);
    pool.longest = static_cast<std::size_t>(longest);
    pool.mostSkips = static_cast<std::size_t>(skips);
    pool.weighting = TRY(weightingOf(call));
    return pool;
}

/// Adds up what stands in one row of tokens.
template <typename Token>
void countGrams(const GramPool<Token>& pool, std::span<const Token> row, std::span<float> counts) {
    std::vector<Token> gram;
    for (std::size_t skip = 0; skip <= pool.mostSkips && skip < std::max<std::size_t>(row.size(), 1);
         ++skip) {
        // A single word skips nothing: it is counted once.
        const std::size_t first = skip == 0 ? pool.shortest : std::max<std::size_t>(pool.shortest, 2);
        for (std::size_t n = first; n <= pool.longest && (n - 1) * (skip + 1) < row.size(); ++n) {
            for (std::size_t start = 0; start + (n - 1) * (skip + 1) < row.size(); ++start) {
                gram.clear();
                for (std::size_t k = 0; k < n; ++k)
                    gram.push_back(row[start + k * (skip + 1)]);
                const auto found = pool.numbers.find(gram);
                if (found == pool.numbers.end()) continue;
                counts[static_cast<std::size_t>(pool.columns[found->second])] += 1;
            }
        }
    }
}

/// Counts to what the mode asks for. A column takes the weight of the last gram that names it.
template <typename Token> void weigh(const GramPool<Token>& pool, std::span<float> counts) {
    if (pool.weighting == Weighting::count) return;
    std::vector<float> weights(counts.size(), 1);
    for (std::size_t i = 0; i < pool.weights.size(); ++i)
        weights[static_cast<std::size_t>(pool.columns[i])] = pool.weights[i];
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        counts[i] = pool.weighting == Weighting::weight ? weights[i] : counts[i] * weights[i];
    }
}

template <typename Token>
Result<void> vectorize(const KernelCall& call, const TensorData& x, std::span<const Token> cells,
                       const std::vector<Token>& tokens) {
    if (x.rank() > 2) return call.fail("exec.bad-rank", {"2", shapeText(x.shape())});
    const GramPool<Token> pool = TRY(gramPoolOf(call, tokens));
    const bool hasRows = x.rank() == 2;
    const std::size_t rows = hasRows ? static_cast<std::size_t>(x.shape()[0]) : 1;
    Shape shape;
    if (hasRows) shape.push_back(x.shape()[0]);
    shape.push_back(pool.width);
    TensorData y = TRY(call.make(ElementType::float32, shape));
    const std::size_t length = rows == 0 ? 0 : cells.size() / rows;
    for (std::size_t r = 0; r < rows; ++r) {
        const auto counts = y.as<float>().subspan(r * static_cast<std::size_t>(pool.width),
                                                  static_cast<std::size_t>(pool.width));
        countGrams<Token>(pool, cells.subspan(r * length, length), counts);
        weigh(pool, counts);
    }
    call.setOutput(0, std::move(y));
    return {};
}

/// ONNX TfIdfVectorizer 9: [C] or [N,C] words or integers to counts of n-grams.
Result<void> runTfIdf(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (x->isString()) {
        const auto* tokens = attributeAs<std::vector<std::string>>(call, "pool_strings");
        if (tokens == nullptr) return call.fail("exec.bad-grams");
        return vectorize<std::string>(call, *x, x->strings(), *tokens);
    }
    const auto* tokens = call.integers("pool_int64s");
    if (tokens == nullptr) return call.fail("exec.bad-grams");
    if (!isInteger(x->type())) return call.noCodeFor(x->type());
    const auto cells = readAll<std::int64_t>(*x);
    return vectorize<std::int64_t>(call, *x, cells, *tokens);
}

// --- LabelEncoder ---

/// The attributes of one side of the table: `<side>_strings`, `<side>_int64s`, `<side>_floats`, or the tensor
/// `<side>_tensor`; as a tensor.
Result<TensorData> sideOf(const KernelCall& call, const std::string& side) {
    if (const auto* given = attributeAs<TensorPtr>(call, side + "_tensor"); given != nullptr && *given)
        return TensorData::from(*call.pool, **given);
    const auto shapeOf = [](const auto& list) { return Shape{static_cast<std::int64_t>(list.size())}; };
    if (const auto* texts = attributeAs<std::vector<std::string>>(call, side + "_strings")) {
        TensorData made = TRY(call.make(ElementType::string, shapeOf(*texts)));
        made.strings() = *texts;
        return made;
    }
    if (const auto* numbers = call.integers(side + "_int64s")) {
        TensorData made = TRY(call.make(ElementType::int64, shapeOf(*numbers)));
        std::copy(numbers->begin(), numbers->end(), made.as<std::int64_t>().begin());
        return made;
    }
    if (const auto* numbers = call.reals(side + "_floats")) {
        TensorData made = TRY(call.make(ElementType::float32, shapeOf(*numbers)));
        std::copy(numbers->begin(), numbers->end(), made.as<float>().begin());
        return made;
    }
    return call.fail("exec.bad-label-table");
}

/// What a key that the table does not hold becomes: an attribute for each type, or a tensor.
Result<TensorData> defaultOf(const KernelCall& call, ElementType type) {
    if (const auto* given = attributeAs<TensorPtr>(call, "default_tensor"); given != nullptr && *given) {
        TensorData made = TRY(TensorData::from(*call.pool, **given));
        if (made.type() != type || made.count() != 1) return call.fail("exec.bad-label-table");
        return made;
    }
    TensorData made = TRY(call.make(type, {1}));
    if (type == ElementType::string) made.strings()[0] = std::string(call.text("default_string", "_Unused"));
    if (type == ElementType::int64) made.as<std::int64_t>()[0] = call.integer("default_int64", -1);
    // ai.onnx.ml says -0 for floats, and for doubles and 16-bit integers what these can hold of it.
    if (type == ElementType::float32) made.as<float>()[0] = call.real("default_float", -0.0F);
    if (type == ElementType::int16) made.as<std::int16_t>()[0] = -1;
    return made;
}

/// A key as bytes, so that one table serves all types. All NaN are one key, and -0 is 0.
std::string keyAt(const TensorData& keys, std::size_t at) {
    if (keys.isString()) return keys.strings()[at];
    const std::size_t bytes = cellBytes(keys.type());
    std::string key(reinterpret_cast<const char*>(keys.data()) + at * bytes, bytes);
    if (!isFloating(keys.type())) return key;
    double number = 0;
    cellReader<double>(keys.type())(keys.data(), static_cast<std::int64_t>(at), 1, 1, &number);
    if (number != number) return "nan";
    return number == 0 ? std::string(bytes, '\0') : key;
}

void copyCell(const TensorData& from, std::size_t at, TensorData& to, std::size_t toAt) {
    if (to.isString()) {
        to.strings()[toAt] = from.strings()[at];
        return;
    }
    const std::size_t bytes = cellBytes(to.type());
    std::memcpy(to.data() + toAt * bytes, from.data() + at * bytes, bytes);
}

/// ai.onnx.ml LabelEncoder 2, 4: each element by a table.
Result<void> runLabelEncoder(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData keys = TRY(sideOf(call, "keys")), values = TRY(sideOf(call, "values"));
    if (keys.count() != values.count()) return call.fail("exec.bad-label-table");
    if (keys.type() != x->type())
        return call.fail("exec.types-differ", {elementTypeName(keys.type()), elementTypeName(x->type())});
    const TensorData otherwise = TRY(defaultOf(call, values.type()));
    std::map<std::string, std::size_t> table; // of equal keys the last counts
    for (std::size_t i = 0; i < keys.count(); ++i)
        table[keyAt(keys, i)] = i;
    TensorData y = TRY(call.make(values.type(), x->shape()));
    for (std::size_t i = 0; i < x->count(); ++i) {
        const auto found = table.find(keyAt(*x, i));
        if (found == table.end())
            copyCell(otherwise, 0, y, i);
        else
            copyCell(values, found->second, y, i);
    }
    call.setOutput(0, std::move(y));
    return {};
}

/// ai.onnx.ml Binarizer 1: 1 above the threshold, else 0.
Result<void> runBinarizer(const KernelCall& call) {
    const auto threshold = static_cast<double>(call.real("threshold", 0));
    return runUnary<Allowed::numeric>(call, [threshold]<typename C>(C cell) {
        return static_cast<C>(static_cast<double>(cell) > threshold ? 1 : 0);
    });
}

constexpr KernelEntry kTextFeatures[] = {
    {"", "TfIdfVectorizer", 9, &runTfIdf},
    {"ai.onnx.ml", "Binarizer", 1, &runBinarizer},
    {"ai.onnx.ml", "LabelEncoder", 2, &runLabelEncoder},
};

} // namespace

std::span<const KernelEntry> textFeatureKernels() {
    return kTextFeatures;
}

} // namespace secateur
