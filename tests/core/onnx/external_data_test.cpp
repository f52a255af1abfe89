// SPDX-License-Identifier: Apache-2.0
#include "tests/core/onnx/proto_models.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <filesystem>

namespace secateur {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

/// A small model whose weight W (3 floats) lies in another file.
onnx::ModelProto externalModel(const std::string& location, const std::string& offset = "",
                               const std::string& length = "") {
    onnx::ModelProto proto = testing::smallModel();
    auto* tensor = proto.mutable_graph()->mutable_initializer(0);
    tensor->clear_raw_data();
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    const auto add = [&](const std::string& key, const std::string& value) {
        auto* entry = tensor->add_external_data();
        entry->set_key(key);
        entry->set_value(value);
    };
    add("location", location);
    if (!offset.empty()) add("offset", offset);
    if (!length.empty()) add("length", length);
    return proto;
}

fs::path put(const TemporaryFolder& folder, const onnx::ModelProto& proto) {
    return folder.put("model.onnx", proto.SerializeAsString());
}

TensorPtr weightOf(const Model& model) {
    return model.value(model.findValue("W")).tensor;
}

TEST(ExternalData, isMappedAndReadInPlace) {
    const TemporaryFolder folder;
    const float values[] = {9, 1, 2, 3};
    folder.put("weights.bin", std::string(reinterpret_cast<const char*>(values), sizeof values));
    auto loaded = loadModel(put(folder, externalModel("weights.bin", "4", "12")));
    ASSERT_TRUE(loaded) << loaded.error().toString();
    EXPECT_TRUE(loaded->problems.empty());
    EXPECT_EQ(loaded->externalBytes, 12U);
    EXPECT_EQ(asDoubles(*weightOf(loaded->model)), (std::vector<double>{1, 2, 3}));
}

TEST(ExternalData, lengthAndOffsetMayBeLeftOut) {
    const TemporaryFolder folder;
    folder.put("weights.bin", std::string(20, '\0'));
    auto loaded = loadModel(put(folder, externalModel("weights.bin")));
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(loaded->problems.empty());
    EXPECT_EQ(weightOf(loaded->model)->payload.size, 12U);
}

/// Opens a model whose data cannot be had: it opens, without the bytes, and with one problem that names the
/// tensor.
void expectProblem(const TemporaryFolder& folder, const onnx::ModelProto& proto, const std::string& id,
                   const std::string& word) {
    auto loaded = loadModel(put(folder, proto));
    ASSERT_TRUE(loaded) << loaded.error().toString();
    ASSERT_EQ(loaded->problems.size(), 1U) << word;
    EXPECT_EQ(loaded->problems[0].id, id);
    EXPECT_NE(loaded->problems[0].text.find(word), std::string::npos) << loaded->problems[0].text;
    EXPECT_NE(loaded->problems[0].text.find("`W`"), std::string::npos) << loaded->problems[0].text;
    EXPECT_EQ(loaded->problems[0].value, loaded->model.findValue("W"));
    EXPECT_EQ(weightOf(loaded->model)->payload.data, nullptr);
    EXPECT_FALSE(rawBytes(*weightOf(loaded->model)).has_value());
    EXPECT_EQ(*serializeModel(loaded->model) == proto.SerializeAsString(), true);
}

TEST(ExternalData, whatCannotBeHadIsAProblem) {
    const TemporaryFolder folder;
    folder.put("weights.bin", std::string(8, '\0'));
    fs::create_directory(folder / "sub");
    expectProblem(folder, externalModel("absent.bin"), "problem.external-missing", "absent.bin");
    expectProblem(folder, externalModel("sub"), "problem.external-unreadable", "directory");
    expectProblem(folder, externalModel("weights.bin", "0", "12"), "problem.external-short", "0..12");
    expectProblem(folder, externalModel("weights.bin", "18446744073709551615"), "problem.external-short",
                  "weights.bin");
    expectProblem(folder, externalModel("weights.bin", "0", "8"), "problem.external-size", "12 bytes");
    expectProblem(folder, externalModel("weights.bin", "four"), "problem.external-range", "no number");
    expectProblem(folder, externalModel("weights.bin", "-1"), "problem.external-range", "no number");
    expectProblem(folder, externalModel(""), "problem.external-nowhere", "location");
}

TEST(ExternalData, aMissingFileIsMissingHoweverTheModelIsNamed) {
    const TemporaryFolder folder;
    put(folder, externalModel("absent.bin"));
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    for (const char* name : {"model.onnx", "./model.onnx"}) {
        const auto loaded = loadModel(name);
        ASSERT_TRUE(loaded) << loaded.error().toString();
        ASSERT_EQ(loaded->problems.size(), 1U);
        EXPECT_EQ(loaded->problems[0].id, "problem.external-missing") << name;
    }
    fs::current_path(before);
}

TEST(ExternalData, aPathThatLeavesTheFolderIsRefused) {
    const TemporaryFolder outer;
    const auto secret = outer.put("secret.bin", std::string(12, 's'));
    fs::create_directory(outer / "inner");
    const auto open = [&](const std::string& location) {
        const fs::path path = outer / "inner/model.onnx";
        std::ofstream(path, std::ios::binary) << externalModel(location).SerializeAsString();
        return loadModel(path);
    };
    fs::create_symlink(secret, outer / "inner/link.bin");
    for (const char* location : {"../secret.bin", "a/../../secret.bin", "link.bin"}) {
        auto loaded = open(location);
        ASSERT_TRUE(loaded);
        ASSERT_EQ(loaded->problems.size(), 1U) << location;
        EXPECT_EQ(loaded->problems[0].id, "problem.external-escapes") << location;
        EXPECT_EQ(weightOf(loaded->model)->payload.data, nullptr);
    }
    auto loaded = open(secret.string());
    ASSERT_EQ(loaded->problems.size(), 1U);
    EXPECT_EQ(loaded->problems[0].id, "problem.external-absolute");
}

TEST(ExternalData, aModelThatIsALinkFindsItsDataBesideTheRealFile) {
    const TemporaryFolder folder;
    fs::create_directories(folder / "blobs");
    fs::create_directories(folder / "snapshot");
    folder.put("blobs/data", std::string(12, '\1'));
    folder.put("blobs/model", externalModel("weights.bin").SerializeAsString());
    fs::create_symlink(folder / "blobs/model", folder / "snapshot/model.onnx");
    fs::create_symlink(folder / "blobs/data", folder / "snapshot/weights.bin");
    auto loaded = loadModel(folder / "snapshot/model.onnx");
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(loaded->problems.empty());
    EXPECT_EQ(loaded->externalBytes, 12U);
}

TEST(ExternalData, savedBesideTheDataKeepsTheReference) {
    const TemporaryFolder folder;
    folder.put("weights.bin", std::string(20, '\2'));
    const onnx::ModelProto proto = externalModel("weights.bin", "4", "12");
    auto loaded = loadModel(put(folder, proto));
    ASSERT_TRUE(saveModel(loaded->model, folder / "again.onnx"));
    EXPECT_EQ(testing::readAll(folder / "again.onnx") == proto.SerializeAsString(), true);
    EXPECT_FALSE(fs::exists(folder / "again.onnx.data"));
    ASSERT_TRUE(saveModel(loaded->model, folder / "model.onnx")); // over the opened file itself
    EXPECT_TRUE(loadModel(folder / "model.onnx")->problems.empty());
}

TEST(ExternalData, theFileThatHoldsTheWeightsIsNotWrittenOver) {
    const TemporaryFolder folder;
    folder.put("weights.bin", std::string(12, 'w'));
    auto loaded = loadModel(put(folder, externalModel("weights.bin")));
    ASSERT_TRUE(loaded);
    const auto saved = saveModel(loaded->model, folder.path() / "weights.bin");
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, ErrorCode::usage);
    EXPECT_EQ(fs::file_size(folder.path() / "weights.bin"), 12U);
}

TEST(ExternalData, dataOfAnotherModelIsNotWrittenOver) {
    const TemporaryFolder folder;
    folder.put("weights.bin", std::string(12, 'w'));
    auto loaded = loadModel(put(folder, externalModel("weights.bin")));
    ASSERT_TRUE(loaded);
    fs::create_directory(folder / "out");
    const auto expectRefused = [&](const char* what) {
        const auto saved = saveModel(loaded->model, folder / "out/small.onnx");
        ASSERT_FALSE(saved) << what;
        EXPECT_EQ(saved.error().code, ErrorCode::usage) << what;
        EXPECT_NE(saved.error().toString().find("small.onnx.data: is there already"), std::string::npos)
            << saved.error().toString();
        EXPECT_EQ(testing::readAll(folder / "out/small.onnx.data"), "of another") << what;
    };
    folder.put("out/small.onnx.data", "of another");
    expectRefused("no model beside it");
    EXPECT_FALSE(fs::exists(folder / "out/small.onnx"));
    folder.put("out/small.onnx", testing::smallModel().SerializeAsString());
    expectRefused("a model that keeps nothing in it");
    folder.put("out/small.onnx", "no model at all");
    expectRefused("no model");
    EXPECT_EQ(testing::readAll(folder / "out/small.onnx"), "no model at all");
    folder.put("out/small.onnx", externalModel("small.onnx.data").SerializeAsString());
    ASSERT_TRUE(saveModel(loaded->model, folder / "out/small.onnx"))
        << "the model that keeps its weights there";
    EXPECT_EQ(testing::readAll(folder / "out/small.onnx.data"), std::string(12, 'w'));
    ASSERT_TRUE(saveModel(loaded->model, folder / "out/small.onnx")) << "and again";
    EXPECT_TRUE(loadModel(folder / "out/small.onnx")->problems.empty());
}

TEST(ExternalData, savedElsewhereCopiesOnlyWhatIsUsed) {
    const TemporaryFolder folder;
    std::string data(100000, '\0');
    const float values[] = {4, 5, 6};
    std::memcpy(data.data() + 5000, values, sizeof values);
    folder.put("weights.bin", data);
    auto loaded = loadModel(put(folder, externalModel("weights.bin", "5000", "12")));
    fs::create_directory(folder / "out");
    auto saved = saveModel(loaded->model, folder / "out/small.onnx");
    ASSERT_TRUE(saved) << saved.error().toString();
    EXPECT_EQ(fs::file_size(folder / "out/small.onnx.data"), 12U);
    auto again = loadModel(folder / "out/small.onnx");
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->problems.empty());
    EXPECT_EQ(asDoubles(*weightOf(again->model)), (std::vector<double>{4, 5, 6}));
    onnx::ModelProto proto;
    ASSERT_TRUE(proto.ParseFromString(testing::readAll(folder / "out/small.onnx")));
    EXPECT_EQ(proto.graph().initializer(0).external_data(0).value(), "small.onnx.data");
}

TEST(ExternalData, dataThatShrankSinceIsNotCopied) {
    const TemporaryFolder folder;
    folder.put("weights.bin", std::string(12, '\0'));
    auto loaded = loadModel(put(folder, externalModel("weights.bin")));
    fs::resize_file(folder / "weights.bin", 4);
    fs::create_directory(folder / "out");
    auto saved = saveModel(loaded->model, folder / "out/small.onnx");
    ASSERT_FALSE(saved);
    EXPECT_NE(saved.error().message.find("shortened"), std::string::npos);
    EXPECT_TRUE(fs::is_empty(folder / "out"));
}

} // namespace
} // namespace secateur
