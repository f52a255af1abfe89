// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/ort_checkpoint.h"

#include "core/onnx/load.h"
#include "tests/core/onnx/model_files.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace secateur {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

/// Writes FlatBuffers front to back: every object is appended, and offsets to it are patched in afterwards.
class FlatBufferWriter {
  public:
    std::string bytes;

    template <class T> void put(T value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    template <class T> void patch(std::size_t at, T value) {
        std::memcpy(bytes.data() + at, &value, sizeof value);
    }
    void pointTo(std::size_t at, std::size_t target) { patch(at, static_cast<std::uint32_t>(target - at)); }
    /// A table with fields of 8 bytes each; returns where field i stands at [i + 1], the table itself at [0].
    std::vector<std::size_t> table(std::size_t fields) {
        const std::size_t vtable = bytes.size();
        put(static_cast<std::uint16_t>(4 + 2 * fields));
        put(static_cast<std::uint16_t>(4 + 8 * fields));
        for (std::size_t i = 0; i < fields; ++i)
            put(static_cast<std::uint16_t>(4 + 8 * i));
        std::vector<std::size_t> places{bytes.size()};
        put(static_cast<std::int32_t>(bytes.size() - vtable));
        for (std::size_t i = 0; i < fields; ++i) {
            places.push_back(bytes.size());
            put(std::uint64_t{0});
        }
        return places;
    }
    std::size_t vector(std::size_t count, std::string_view contents) {
        const std::size_t at = bytes.size();
        put(static_cast<std::uint32_t>(count));
        bytes += contents;
        return at;
    }
    void leaveOut(std::size_t table, std::size_t field) {
        std::int32_t back = 0;
        std::memcpy(&back, bytes.data() + table, sizeof back);
        patch(table - static_cast<std::size_t>(back) + 4 + 2 * field, std::uint16_t{0});
    }
};

struct Spec {
    int revision = 2;
    bool isNominal = false, hasDataFile = false;
    std::int64_t dim = 3;
    std::string secondName = "mean";
    std::int64_t secondOffset = 12;
};

std::size_t addBlob(FlatBufferWriter& out, const std::string& name, const Spec& spec, std::int64_t offset) {
    const auto blob = out.table(7); // name, -, dims, type, bytes, -, offset
    out.pointTo(blob[1], out.vector(name.size(), name));
    out.leaveOut(blob[0], 1);
    out.pointTo(blob[3], out.vector(1, std::string_view(reinterpret_cast<const char*>(&spec.dim), 8)));
    out.patch(blob[4], std::int32_t{1});
    const float values[] = {1, 2, 3};
    if (spec.hasDataFile)
        out.leaveOut(blob[0], 4);
    else
        out.pointTo(blob[5], out.vector(12, std::string_view(reinterpret_cast<const char*>(values), 12)));
    out.leaveOut(blob[0], 5);
    if (spec.hasDataFile)
        out.patch(blob[7], offset);
    else
        out.leaveOut(blob[0], 6);
    return blob[0];
}

std::string checkpointBytes(const Spec& spec) {
    FlatBufferWriter out;
    out.put(std::uint32_t{0});
    out.bytes += "ODTC";
    const auto root = out.table(2);
    out.pointTo(0, root[0]);
    out.patch(root[1], spec.revision);
    const auto weights = out.table(4);
    out.pointTo(root[2], weights[0]);
    out.patch(weights[3], std::uint8_t{spec.isNominal});
    out.patch(weights[4], std::uint8_t{spec.hasDataFile});
    const std::size_t trainable = out.vector(1, std::string(4, '\0'));
    const std::size_t fixed = out.vector(1, std::string(4, '\0'));
    out.pointTo(weights[1], trainable);
    out.pointTo(weights[2], fixed);
    out.pointTo(trainable + 4, addBlob(out, "weight", spec, 0));
    out.pointTo(fixed + 4, addBlob(out, spec.secondName, spec, spec.secondOffset));
    return out.bytes;
}

TEST(OrtCheckpoint, weightsAreRangesOfTheFile) {
    const TemporaryFolder folder;
    const auto path = folder.put("checkpoint", checkpointBytes({}));
    EXPECT_TRUE(looksLikeOrtCheckpoint(path));
    auto checkpoint = loadOrtCheckpoint(path);
    ASSERT_TRUE(checkpoint) << checkpoint.error().toString();
    ASSERT_EQ(checkpoint->entries.size(), 2U);
    EXPECT_TRUE(checkpoint->find("weight")->isTrainable);
    EXPECT_FALSE(checkpoint->find("mean")->isTrainable);
    EXPECT_EQ(checkpoint->find("other"), nullptr);
    EXPECT_EQ(asDoubles(*checkpoint->find("mean")->tensor), (std::vector<double>{1, 2, 3}));
}

TEST(OrtCheckpoint, weightsMayLieInADataFile) {
    const TemporaryFolder folder;
    Spec spec;
    spec.hasDataFile = true;
    const auto path = folder.put("checkpoint", checkpointBytes(spec));
    EXPECT_NE(loadOrtCheckpoint(path).error().message.find("checkpoint.data"), std::string::npos);
    const float values[] = {1, 2, 3, 4, 5, 6};
    folder.put("checkpoint.data", std::string(reinterpret_cast<const char*>(values), sizeof values));
    auto checkpoint = loadOrtCheckpoint(path);
    ASSERT_TRUE(checkpoint) << checkpoint.error().toString();
    EXPECT_EQ(asDoubles(*checkpoint->find("mean")->tensor), (std::vector<double>{4, 5, 6}));
    for (const std::int64_t offset : {std::int64_t{-1}, std::int64_t{16}, INT64_MAX}) {
        spec.secondOffset = offset;
        folder.put("checkpoint", checkpointBytes(spec));
        EXPECT_FALSE(loadOrtCheckpoint(path)) << offset;
    }
}

TEST(OrtCheckpoint, whatCannotBeUsedSaysWhy) {
    const TemporaryFolder folder;
    const auto expectWord = [&](const Spec& spec, const std::string& word) {
        auto checkpoint = loadOrtCheckpoint(folder.put("checkpoint", checkpointBytes(spec)));
        ASSERT_FALSE(checkpoint) << word;
        EXPECT_NE(checkpoint.error().message.find(word), std::string::npos) << checkpoint.error().message;
        EXPECT_EQ(checkpoint.error().code, ErrorCode::invalidInput);
    };
    Spec spec;
    spec.revision = 3;
    expectWord(spec, "revision is 3");
    spec = {};
    spec.isNominal = true;
    expectWord(spec, "names and types only");
    spec = {};
    spec.secondName = "weight";
    expectWord(spec, "two weights named `weight`");
    spec = {};
    spec.dim = 4;
    expectWord(spec, "needs 16 bytes");
    spec.dim = -1;
    expectWord(spec, "impossible type or shape");
    EXPECT_FALSE(looksLikeOrtCheckpoint(folder / "absent"));
    EXPECT_FALSE(looksLikeOrtCheckpoint(folder.path()));
    EXPECT_FALSE(loadOrtCheckpoint(folder.put("other", "no checkpoint at all")));
}

TEST(OrtCheckpoint, damageNeverCrashes) {
    const TemporaryFolder folder;
    const std::string whole = checkpointBytes({});
    for (std::size_t size = 8; size < whole.size(); size += 3) {
        EXPECT_FALSE(loadOrtCheckpoint(folder.put("checkpoint", std::string_view(whole).substr(0, size))))
            << size;
    }
    std::mt19937 random(3);
    int refused = 0;
    for (int round = 0; round < 500; ++round) {
        std::string bytes = whole;
        bytes[8 + random() % (bytes.size() - 8)] = static_cast<char>(random());
        if (!loadOrtCheckpoint(folder.put("checkpoint", bytes))) ++refused;
    }
    EXPECT_GT(refused, 100);
}

TEST(OrtCheckpoint, everyRealOneHoldsInputsOfItsModel) {
    const fs::path models = testing::modelsFolder();
    if (models.empty()) GTEST_SKIP() << "no folder of real models; name one in SECATEUR_MODELS";
    int seen = 0;
    for (const fs::path& path : testing::filesBelow(models / "training", ".onnx")) {
        if (path.filename() != "model.onnx") continue;
        auto loaded = loadModel(path);
        ASSERT_TRUE(loaded);
        if (loaded->checkpoint.empty()) continue;
        auto checkpoint = loadOrtCheckpoint(loaded->checkpoint);
        ASSERT_TRUE(checkpoint) << checkpoint.error().toString();
        ++seen;
        EXPECT_FALSE(checkpoint->entries.empty());
        for (const auto& entry : checkpoint->entries) {
            const ValueId input = loaded->model.findValue(entry.name);
            ASSERT_TRUE(input) << path << ": " << entry.name;
            EXPECT_EQ(loaded->model.declaredType(input), entry.tensor->asType())
                << path << ": " << entry.name;
        }
    }
    EXPECT_GT(seen, 0);
}

} // namespace
} // namespace secateur
