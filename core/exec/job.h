// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/backend.h"
#include "core/exec/compare.h"
#include "core/exec/input_values.h"
#include "core/exec/test_folder.h"
#include "core/support/cancel.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

/// Inputs that a person gives: a folder in ONNX's test-data layout, or files by the name of the input; what
/// neither gives is random.
struct OwnInputs {
    std::filesystem::path folder;
    std::vector<std::pair<std::string, std::string>> files;
    friend bool operator==(const OwnInputs&, const OwnInputs&) = default;
};

/// compare: one more model that runs on the inputs of the two, and is compared with the second by the outputs
/// that these share: the second runs once for all of them.
struct SideModel {
    enum class Sets : std::uint8_t {
        first, ///< the first set alone
        plain, ///< those that are no edge of floating point
        all,
    };
    std::filesystem::path path;
    RunMode mode = RunMode::asWritten;
    Device device = Device::reference;
    Sets sets = Sets::all;
    friend bool operator==(const SideModel&, const SideModel&) = default;
};

/// What is to be executed. A job is plain data: it goes to a child process as JSON (job_json.h), so that a
/// crash, or a model that never ends, is a message here and not the end of the program.
struct Job {
    enum class Kind : std::uint8_t {
        run,     ///< one model
        time,    ///< one model, again and again on the same inputs
        compare, ///< two models on the same inputs
        test,    ///< folders in the layout of ONNX's backend tests
    };
    Kind kind = Kind::run;
    std::vector<std::filesystem::path> paths; ///< the model; the model and the one it shall equal; folders
    std::vector<RunMode> modes;               ///< of each model; asWritten where not given
    Device device = Device::reference;
    InputRequest inputs;
    std::uint32_t warmUps = 0; ///< time: runs before those that count
    std::uint32_t runs = 1;    ///< time: runs that count
    std::uint32_t count = 1;   ///< sets of random inputs, with the seeds inputs.seed, inputs.seed + 1 ...
    /// compare: besides, a batch of kEdgeBatch random inputs where the models take one, and one set for each
    /// pattern of EdgePattern.
    bool hasEdgeInputs = false;
    std::vector<OwnInputs> own; ///< compare: besides, one set for each; what does not fit is an error
    /// After this many seconds of running no further set of edge inputs is begun; 0: no limit.
    double edgeSeconds = 0;
    std::vector<SideModel> sides;
    Tolerance tolerance;
    RunLimits limits;
    unsigned threads = 0;
    std::filesystem::path scratch; ///< folder for temporary files, the system's where empty
    std::filesystem::path outputs; ///< run: where results go as output_K.pb; empty: nowhere
};

/// No size that a model could have been made for, and small.
inline constexpr std::int64_t kEdgeBatch = 3;

/// How one model ran.
struct RunFacts {
    std::string backend;
    std::vector<double> seconds; ///< of each set of inputs
    std::uint64_t highWaterBytes = 0;
    std::optional<RunReport> report = std::nullopt; ///< where the backend tells
};

/// A result of a run, summed up.
struct OutputFacts {
    std::string name, type;         ///< "float[1,10]"
    bool hasNumbers = false;        ///< else the next three say nothing
    double lowest = 0, highest = 0; ///< of its finite elements
    double mean = 0;
    std::uint64_t notFinite = 0; ///< elements that are NaN or infinite
    std::string file;            ///< where it was written; empty: nowhere
};

/// An output that both models have.
struct ComparedOutput {
    /// Why it says little that the models agree on it.
    enum class Weakness : std::uint8_t {
        none,
        still,     ///< it had the same numbers on all sets, though the inputs had not
        notFinite, ///< not one number of it was finite on any set
        partly,    ///< `neverFinite` of its elements were finite on no set
    };
    std::string name;
    ValueDifference worst; ///< over all sets of inputs
    std::string worstSet;  ///< "random inputs, seed 3"
    Weakness weakness = Weakness::none;
    /// Elements at places where no set had a finite number, and elements of one set; of the sets that gave it
    /// the shape that the first did.
    std::uint64_t neverFinite = 0, places = 0;
};

/// Inner values that two models compute under one name, compared where their outputs say too little.
struct Witnesses {
    std::uint64_t compared = 0; ///< all of which agree
    std::uint64_t moved = 0;    ///< of these, those that move with the inputs
};

/// The first value in the order of execution that both models compute under one name and that differs.
struct FirstDifference {
    std::string value, node; ///< the node of the first model that makes it, for people
    ValueDifference difference;
    std::string set;
};

/// What came of a SideModel.
struct SideAnswer {
    std::string backend;                  ///< empty where it could not be opened
    std::vector<std::string> sets;        ///< those that it ran on
    std::vector<ComparedOutput> compared; ///< with the second model
    /// With the side model before this one in the list, on the sets that both ran on.
    std::vector<ComparedOutput> sincePrevious;
    std::vector<std::string> setsSincePrevious; ///< these sets
    std::optional<FirstDifference> first;
    std::string failure; ///< why it did not run, or not to the end; of no use for a comparison then
};

struct JobAnswer {
    std::vector<RunFacts> runs;           ///< for each model
    std::vector<OutputFacts> outputs;     ///< run: of the last set
    std::vector<std::string> sets;        ///< compare: in words
    std::vector<std::string> skippedSets; ///< compare: edge inputs that one of the models refused, and why
    std::vector<ComparedOutput> compared; ///< compare: in the order of the first model's outputs
    std::vector<std::string> notes;       ///< compare: what belongs to nothing, or only by position, in words
    std::vector<std::string> onlyInFirst, onlyInSecond; ///< compare: outputs that the other model lacks
    std::vector<std::string> unmatched; ///< compare: outputs that the second model lacks, sets of inputs that
                                        ///< one model alone refuses
    /// compare: the note about the first of these, or about what a whole model has that the cut one given
    /// second lacks, which does not keep those from being called equal.
    std::string mismatch;
    /// compare: the models agree, and what they agree on cannot tell models apart: why, and what to do, in
    /// words. Nothing is known about them then.
    std::string silence;
    /// compare: branches of If in either model that no compared set entered: "else of If making `y`".
    std::vector<std::string> unentered;
    Witnesses
        witnesses; ///< compare: where outputs never move; none where they do, or nothing else can be told
    std::optional<FirstDifference> first; ///< compare: when something is not within the tolerance
    std::vector<SideAnswer> sides;        ///< compare: for each side model
    std::vector<FolderVerdict> verdicts;  ///< test: for each folder

    /// compare: all outputs of the first model on all sets; never when nothing was compared, and neither
    /// where it proves nothing (`silence`).
    [[nodiscard]] bool isWithin() const;
    [[nodiscard]] bool isSameBits() const;
    /// compare: the output that lies furthest apart, those outside the tolerance first. Asked for where
    /// something was compared.
    [[nodiscard]] const ComparedOutput& worst() const;
    /// Elements of all outputs on all sets.
    [[nodiscard]] std::uint64_t elementsCompared() const;
};

/// Of a list of compared outputs: are all of them within the tolerance, or the same to the bit? Not when
/// there is none.
[[nodiscard]] bool areWithin(const std::vector<ComparedOutput>& outputs);
[[nodiscard]] bool areSameBits(const std::vector<ComparedOutput>& outputs);
/// "`label` is the same on all of them"; of the outputs whose agreement says little. Empty where there are
/// none.
[[nodiscard]] std::string weaknessText(const std::vector<ComparedOutput>& outputs);
/// The same, with what else was not looked at: branches that no inputs entered.
[[nodiscard]] std::string weaknessText(const JobAnswer& answer);
/// The output that lies furthest apart, those outside the tolerance first; there must be one.
[[nodiscard]] const ComparedOutput& worstOf(const std::vector<ComparedOutput>& outputs);
/// Elements that were compared.
[[nodiscard]] std::uint64_t elementsOf(const std::vector<ComparedOutput>& outputs);

/// Executes a job in this process. Files are read and written by path.
Result<JobAnswer> runJob(const Job& job, const WorkContext& work = {});

} // namespace secateur
