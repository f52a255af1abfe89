// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/verified.h"
#include "core/session/history.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

/// A node of the original that is not in the result, and why.
struct RemovedNode {
    NodeId node;
    std::string name; ///< its own, else that of its first result
    std::string op, role;
    std::string pass;         ///< id of the pass that took it away
    bool isReplaced = false;  ///< other nodes stand in its place
    bool stoodOnPath = false; ///< it stood on the way to a target: `path` is that way, as it was
    std::string reason;
    std::vector<std::string>
        path; ///< names from it to the dead end of its results, or to the target that it fed
    std::uint64_t pathNodes =
        0; ///< length of the whole path: `path` leaves out the middle where that is long
    std::string
        end; ///< what its last node makes, as a sentence: "x ends in the output y, which is no target"
};

/// Rewrites (or removed nodes) of one step that have the same kind of reason.
struct ReasonGroup {
    std::string id;
    std::uint64_t count = 0;
    std::string example; ///< the first one as a sentence
};

struct ReportStep {
    std::string pass, title, summary;
    char exactness = 'E';
    bool isOn = true;
    std::uint64_t rewrites = 0, skipped = 0, erased = 0, created = 0;
    Metrics before, after;
    double seconds =
        0; ///< of this run; left out of the written reports, which are the same for the same input
    std::string failure;
    std::vector<ReasonGroup> reasons;
    std::vector<std::string> questions, misses;
};

struct ReportRole {
    std::string role;
    std::uint64_t before = 0, after = 0; ///< nodes
};

struct ReportTarget {
    std::string name, type, evidence;
    double score = 0; ///< 0 where it is none of the candidates
};

/// A value that the forward half keeps in memory for the backward half.
struct ReportStash {
    std::string value, type, producer;
    std::string size;        ///< "batch x 12 KiB"; "?" where it is unknown
    std::uint64_t bytes = 0; ///< 0: unknown, or it depends on a named dimension
    std::uint64_t readers = 0;
};

struct ReportWeight {
    std::string name, type;
    std::uint64_t bytes = 0;
};

struct ReportProblem {
    std::string severity, id, text;
};

/// The whole before/after story as plain data: what the three writers write, and what the command line
/// prints. The same history gives the same data (`seconds` apart).
struct Report {
    std::string model;   ///< file name
    std::string title;   ///< what the model is called: a "model.onnx" with its folder
    std::string command; ///< how to do it again
    std::string recipe;  ///< as JSON
    std::string opsets;
    Verified verified; ///< what was compared, where it was asked for
    Metrics before, after;
    std::uint64_t weightBytesBefore = 0, weightBytesAfter = 0;         ///< of initializers and of constants
    std::uint64_t fileBytes = 0, externalBytes = 0, metadataBytes = 0; ///< of the opened file
    std::vector<ReportTarget> targets;
    std::vector<ReportRole> roles; ///< those that occur
    std::vector<ReportStep> steps;
    std::vector<RemovedNode> removed;
    bool listsAll = false;                    ///< pages list every row, however many
    std::uint64_t replacedNodes = 0;          ///< of those in `removed`
    std::vector<ReportStash> stashes;         ///< largest first
    std::string stashSize;                    ///< of all of them
    bool hasAddedWeights = false;             ///< from a file: the opened model did not hold them
    std::vector<ReportWeight> weights;        ///< of the result, largest first
    std::vector<std::string> inputs, outputs; ///< of the result, with their types
    std::vector<ReportProblem> problems;
    std::vector<std::string> notes;
    /// Pictures as SVG documents, light and dark; empty where there are none.
    std::string beforeLight, beforeDark, afterLight, afterDark;
};

struct ReportOptions {
    std::string command;
    bool hasPictures = true;
    bool listsAll = false; ///< else pages stop at a number of rows that they state; JSON always holds all
    Verified verified;
};

/// Gathers the story of a history. The cursor of `history` is moved to look, and put back.
[[nodiscard]] Report makeReport(History& history, const ReportOptions& options = {});

/// What is wrong with the opened file, in words.
[[nodiscard]] std::vector<ReportProblem> describeProblems(const Original& original);

/// How many of `count` rows a page shows that stops at `most`.
[[nodiscard]] std::size_t shownRows(const Report& report, std::size_t count, std::size_t most);
/// "removed 250 nodes, replaced 26": how many are gone, told apart.
[[nodiscard]] std::string removedText(const Report& report);
/// "model.onnx: from training to inference"; of a model that lost nothing, its name alone.
[[nodiscard]] std::string reportTitle(const Report& report);

/// One self-contained page: no script and nothing from elsewhere; light and dark; made to be printed, too.
[[nodiscard]] std::string reportToHtml(const Report& report);
/// For a pull request: the numbers, the steps, the reasons.
[[nodiscard]] std::string reportToMarkdown(const Report& report);
/// Everything, for scripts; `schema` is 1.
[[nodiscard]] std::string reportToJson(const Report& report);

} // namespace secateur
