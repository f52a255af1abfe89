// SPDX-License-Identifier: Apache-2.0
#include "core/support/cancel.h"
#include "core/support/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace secateur {
namespace {

Result<int> half(int n) {
    if (n % 2 != 0) return usageError("is odd; give an even number", std::to_string(n));
    return n / 2;
}

Result<int> quarter(int n) {
    return TRY(half(TRY(half(n))));
}

Result<void> checkEven(int n) {
    TRY(half(n));
    return {};
}

Result<std::unique_ptr<int>> boxed(int n) {
    std::unique_ptr<int> box =
        TRY([&]() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(TRY(half(n))); }());
    return box;
}

TEST(Result, tryHandsTheValueOn) {
    ASSERT_TRUE(quarter(12).ok());
    EXPECT_EQ(*quarter(12), 3);
}

TEST(Result, tryReturnsTheFirstError) {
    const Result<int> r = quarter(6);
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error(), usageError("is odd; give an even number", "3"));
}

TEST(Result, voidResultCarriesAnErrorToo) {
    EXPECT_TRUE(checkEven(2).ok());
    EXPECT_EQ(checkEven(1).error().where, "1");
}

TEST(Result, tryMovesWhatCannotBeCopied) {
    EXPECT_EQ(**boxed(8), 4);
    EXPECT_FALSE(boxed(7));
}

TEST(Result, errorReadsAsOneLine) {
    EXPECT_EQ(invalidInput("has no graph", "a.onnx").toString(), "a.onnx: has no graph");
    EXPECT_EQ(cancelled().toString(), "cancelled");
}

TEST(Result, exitCodesAreThoseScriptsRelyOn) {
    EXPECT_EQ(exitCodeOf(ErrorCode::verification), 1);
    EXPECT_EQ(exitCodeOf(ErrorCode::usage), 2);
    EXPECT_EQ(exitCodeOf(ErrorCode::invalidInput), 3);
    EXPECT_EQ(exitCodeOf(ErrorCode::missing), 4);
    EXPECT_EQ(exitCodeOf(ErrorCode::cancelled), 130);
}

TEST(Cancel, aCopyOfTheTokenStopsTheWorker) {
    WorkContext context;
    std::uint64_t reported = 0;
    context.onProgress = [&](const Progress& p) { reported = p.done; };
    const CancelToken remote = context.cancel;
    std::thread worker([&] {
        for (std::uint64_t i = 1; !context.isCancelled(); ++i) {
            context.report("count", i, 0);
            if (i == 1000) remote.cancel();
        }
    });
    worker.join();
    EXPECT_EQ(reported, 1000u);
    EXPECT_TRUE(context.isCancelled());
    EXPECT_FALSE(CancelToken().isCancelled());
}

} // namespace
} // namespace secateur
