// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// What is known of an operator at one opset version: the standard's, and the com.microsoft operators (and
/// the few that ONNX Runtime adds to the default domain) that stand in training files.
struct OperatorSchema {
    static constexpr int kAnyNumber = std::numeric_limits<int>::max();

    std::string domain, op;
    int sinceVersion = 1; ///< opset version that gave the operator this form
    int minInputs = 0, maxInputs = 0, minOutputs = 0, maxOutputs = 0;
    std::vector<std::string> inputNames, outputNames; ///< of the formal slots; a variadic last one repeats
    /// The type of each formal input as the standard writes it: "tensor(int64)", or a type parameter ("T"),
    /// of which all inputs that name it are. Empty for operators that are not in the standard.
    std::vector<std::string> inputTypes;
    bool isLastInputMixed = false; ///< a variadic last input, each of a type of its own
    bool isDeprecated = false;
    bool isStandard = false; ///< in the ONNX standard

    /// The formal name of a slot, "" when there is no such slot. Slots of a variadic last one are numbered
    /// from 0: "inputs 2".
    [[nodiscard]] std::string inputName(std::size_t slot) const;
    [[nodiscard]] std::string outputName(std::size_t slot) const;
};

/// The schema of an operator at `opsetVersion` of its domain; none when it is unknown there.
[[nodiscard]] std::optional<OperatorSchema> schemaOf(std::string_view domain, std::string_view op,
                                                     std::int64_t opsetVersion);

} // namespace secateur
