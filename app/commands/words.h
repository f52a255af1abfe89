// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/commands/console.h"
#include "core/session/history.h"

#include <cstdint>
#include <optional>
#include <string>

namespace secateur::cli {

/// A word for a shell, whatever bytes it has: plain, in single quotes, or where it has bytes that cannot be
/// shown in the quotes that bash, zsh and ksh read escapes in.
[[nodiscard]] std::string shellWord(const std::string& word);
/// A path that no program takes for an option.
[[nodiscard]] std::string shellPath(const std::string& path);

/// "output: 1,523 -> 350 nodes (-77 %), 2.4 MiB -> 0.6 MiB". Without the size of the result only nodes are
/// told; where it holds weights that the opened file does not, that is said.
[[nodiscard]] std::string changeLine(const History& history, std::optional<std::uint64_t> resultBytes = {});

/// A word about --strip-traces for a file that is mostly what an exporter left; none for others.
[[nodiscard]] std::optional<std::string> tracesHint(std::uint64_t metadataBytes, std::uint64_t all);

/// "removed 250 nodes, replaced 26".
[[nodiscard]] std::string goneLine(const History& history);

/// What a run has to say beside its steps, as notes.
void tellNotes(const History& history, Console& console);

/// One line for each step that did something, with the kinds of its reasons below.
void printSteps(const History& history, Console& console);

} // namespace secateur::cli
