// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/input_domain.h"
#include "core/exec/runtime_value.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace secateur {

/// Where the values of a run's inputs come from.
struct InputRequest {
    std::filesystem::path folder; ///< in ONNX's test-data layout (input_0.pb ...); empty: random values
    /// By name: a file (.pb, .npy), a range "lo:hi" for random values, one number for all elements,
    /// or of strings the text of all of them.
    std::vector<std::pair<std::string, std::string>> named;
    /// Of free dimensions, by dimensionName(); else `freeDim`. One that a file contradicts, or that is of no
    /// use, is a mistake.
    std::map<std::string, std::int64_t> bindings;
    std::int64_t freeDim = 1;
    /// Of free first dimensions, wherever their names stand, where `bindings` says nothing; 0: `freeDim`.
    std::int64_t batch = 0;
    std::uint64_t seed = 0;
    std::size_t turn = 0; ///< of the numbers that InputDomain::choices names, see input_choices.h
    /// Random floats of which nothing is known lie in [0, 255) instead of [-1, 1): as those of a picture.
    bool hasWideFloats = false;
};

/// What a free dimension of an input is called where it is bound: by its own name, or where it has none by
/// that of the input and the position from 0: "input.1".
[[nodiscard]] std::string dimensionName(const Model& model, ValueId input, std::size_t axis);

/// The free dimensions of inputs with random values that `request` does not bind, each once: their size is a
/// guess.
[[nodiscard]] std::vector<std::string> guessedDimensions(const Model& model, const InputRequest& request);

/// What kept a model from running, where sizes of its inputs were guessed. Kernels that refuse shapes may do
/// so for that: then it is the sizes that are missing (`usage`), and the message names them. `other` runs it
/// with other sizes, and gives what keeps it from running then: the same words say that no size is to blame.
[[nodiscard]] Error withGuesses(Error error, const std::vector<std::string>& dimensions,
                                const std::function<std::optional<Error>(std::int64_t size)>& other);

/// Is there an input whose first dimension may have any size, and which `request` neither binds nor gives?
[[nodiscard]] bool hasFreeBatch(const Model& model, const InputRequest& request);
/// By position of the main graph's inputs: does `request` name it?
[[nodiscard]] std::vector<bool> namedInputs(const Model& model, const InputRequest& request);
/// Is what a request names an input with a range of random numbers, or one number, and not a file?
[[nodiscard]] bool isRange(std::string_view source);

/// The sizes of free dimensions that the files of a request have, by dimensionName(); what it binds is not
/// looked at. Fails as makeInputs() does.
Result<std::map<std::string, std::int64_t>> sizesOfFiles(const Model& model, const InputRequest& request,
                                                         MemoryPool& pool);

/// Values for the inputs of the main graph, in their order; absent for inputs that have an initializer and
/// are not named. Random numbers keep to the input's domain: floats lie in [-1, 1), indices, labels and
/// lengths in what the model allows; a single number that decides which way the model goes is one that does;
/// a free dimension that a file says the size of has that size in all inputs. Fails with `usage` on an
/// unknown name or an input without a known shape, naming it.
Result<std::vector<RuntimeValue>> makeInputs(const Model& model, const std::vector<InputDomain>& domains,
                                             const InputRequest& request, MemoryPool& pool);

} // namespace secateur
