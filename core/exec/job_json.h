// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/job.h"

#include <string>
#include <string_view>

namespace secateur {

[[nodiscard]] std::string jobText(const Job& job);
/// Fails with `invalidInput` on anything that jobText() does not write.
Result<Job> parseJob(std::string_view text);

/// An answer, or what went wrong; parseAnswer() gives the same back.
[[nodiscard]] std::string answerText(const Result<JobAnswer>& answer);
Result<JobAnswer> parseAnswer(std::string_view text);

} // namespace secateur
