// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/job.h"
#include "core/onnx/save.h"
#include "tests/core/exec/run_text.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>

#include <string>

namespace secateur::testing {

/// A job on models that a test writes.
struct JobTest : ::testing::Test {
    TemporaryFolder folder;
    Job job;

    void add(const char* name, const std::string& graph) {
        auto parsed = parseModelText(modelText(graph));
        ASSERT_TRUE(parsed.ok()) << parsed.error().toString();
        ASSERT_TRUE(saveModel(parsed->model, folder / name).ok());
        job.paths.push_back(folder / name);
    }
    JobAnswer compare() {
        job.kind = Job::Kind::compare;
        auto answer = runJob(job);
        EXPECT_TRUE(answer.ok()) << (answer.ok() ? "" : answer.error().toString());
        return answer.ok() ? *answer : JobAnswer{};
    }
};

} // namespace secateur::testing
