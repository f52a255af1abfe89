// SPDX-License-Identifier: Apache-2.0
// What is no ONNX model gets one message: what it is, and what to do.
#include "core/onnx/wire.h"
#include "tests/core/onnx/proto_models.h"
#include "tests/temporary_folder.h"

#include <random>

namespace secateur {
namespace {

using testing::loadText;
using testing::TemporaryFolder;
using namespace std::string_literals;

struct BadFile {
    const char* name;
    std::string bytes;
    const char* expected;
};

std::string withPadding(std::string head, std::size_t size, const std::string& tail = {}) {
    head.resize(std::max(head.size(), size), '\0');
    return head + tail;
}

std::string tensorFile() {
    onnx::TensorProto tensor;
    tensor.add_dims(2);
    tensor.set_data_type(1);
    tensor.set_raw_data("12345678");
    return tensor.SerializeAsString();
}

/// GraphDef of TensorFlow: field 1 is a node with name and operator.
std::string graphDef() {
    std::string node, graph;
    wire::appendBytes(node, 1, "x");
    wire::appendBytes(node, 2, "Placeholder");
    wire::appendBytes(graph, 1, node);
    return graph;
}

std::string savedModel() {
    std::string tags, meta, model = "\x08\x01";
    wire::appendBytes(tags, 4, "serve");
    wire::appendBytes(meta, 1, tags);
    wire::appendBytes(model, 2, meta);
    return model;
}

std::vector<BadFile> badFiles() {
    return {
        {"empty.onnx", "", "is empty"},
        {"text.onnx", "hello, this is a note\n", "text file"},
        {"data.json", R"({"a": 1})", "is JSON"},
        {"model.json", R"({"irVersion": "8", "opsetImport": []})", "format='json'"},
        {"page.onnx", "\n<!DOCTYPE html><html></html>", "web page"},
        {"pointer.onnx", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"},
        {"model.xml", "<?xml version=\"1.0\"?><net name=\"x\">", "OpenVINO"},
        {"model.txt", "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float x) => (float y) {}",
         "onnx.parser"},
        {"model.pbtxt", "ir_version: 8\ngraph {}", "format='textproto'"},
        {"model.tflite", "\x1c\0\0\0TFL3\0\0\0\0"s,
         "tf2onnx.convert --tflite model.tflite --output model.onnx"},
        {"model.ort", "\x1c\0\0\0ORTM\0\0\0\0"s, ".onnx file it was made from"},
        {"checkpoint", "\x1c\0\0\0ODTC\0\0\0\0"s, "--weights checkpoint"},
        {"model.gguf", "GGUF\3\0\0\0"s, "optimum-cli"},
        {"model.h5", "\x89HDF\r\n\x1a\n....", "format='onnx'"},
        {"model.keras", withPadding("PK\x03\x04", 30, "model.weights.h5"),
         "keras.saving.load_model('model.keras')"},
        {"model.pt", withPadding("PK\x03\x04", 30, "model/data.pkl"), "torch.load('model.pt'"},
        {"script.pt", withPadding("PK\x03\x04", 30, "m/code/ m/data.pkl m/constants.pkl"),
         "torch.jit.load('script.pt')"},
        {"model.pt2", withPadding("PK\x03\x04", 30, "serialized_exported_program.json"),
         "torch.export.load('model.pt2')"},
        {"model.mlpackage.zip", withPadding("PK\x03\x04", 30, "Data/model.mlmodel"), "Core ML"},
        {"arrays.npz", withPadding("PK\x03\x04", 30, "arr_0.npy"), "NumPy"},
        {"models.zip", withPadding("PK\x03\x04", 30, "inner/net.onnx"), "unzip models.zip"},
        {"model.pth", "\x80\x02}q\0."s, "pickle"},
        {"model.safetensors",
         "\x40\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}"s,
         "safetensors"},
        {"model.onnx.gz", "\x1f\x8b\x08\0"s, "gunzip --keep model.onnx.gz"},
        {"model.onnx.xz",
         "\xfd"
         "7zXZ\0"s,
         "unxz"},
        {"model.tar", withPadding("model.onnx", 257, "ustar\0"s), "tar xf"},
        {"graph.pb", graphDef(), "--graphdef graph.pb"},
        {"saved_model.pb", savedModel(), "--saved-model"},
        {"input_0.pb", tensorFile(), "single ONNX tensor"},
        {"ones.onnx", std::string(300, '\xff'), "no complete ONNX model: at byte"},
        {"cafe.txt", "un caf\xe9 au lait, in the letters of an older encoding\n", "text file"},
        {"noise.onnx", "\x0f\xff\xfe\x01\x80\x9a\x13\x37", "no complete ONNX model: at byte"},
        {"graphless.onnx", "\x08\x08\x12\x04test", "no graph"},
    };
}

TEST(BadInput, eachKindOfFileIsNamedWithWhatToDo) {
    const TemporaryFolder folder;
    for (const BadFile& file : badFiles()) {
        const auto path = folder.put(file.name, file.bytes);
        auto loaded = loadModel(path);
        ASSERT_FALSE(loaded) << file.name;
        EXPECT_NE(loaded.error().message.find(file.expected), std::string::npos)
            << file.name << ": " << loaded.error().message;
        EXPECT_EQ(loaded.error().where, path.string());
        EXPECT_EQ(loaded.error().code, ErrorCode::invalidInput) << file.name;
    }
}

TEST(BadInput, aFolderNamesTheModelInIt) {
    const TemporaryFolder folder;
    auto loaded = loadModel(folder.path());
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().message.find("without an .onnx file"), std::string::npos);
    folder.put("saved_model.pb", "");
    EXPECT_NE(loadModel(folder.path()).error().message.find("--saved-model"), std::string::npos);
    folder.put("net.onnx", "");
    EXPECT_NE(loadModel(folder.path()).error().message.find("net.onnx"), std::string::npos);
}

TEST(BadInput, aMissingFileIsNamed) {
    const TemporaryFolder folder;
    auto loaded = loadModel(folder / "absent.onnx");
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().toString().find("absent.onnx: does not exist"), std::string::npos);
}

/// A model of bodies in bodies, `inner` in the innermost.
std::string nested(std::string inner, int depth) {
    for (int i = 0; i < depth; ++i) {
        std::string attribute, node, graph;
        wire::appendBytes(attribute, 6, inner);
        wire::appendBytes(node, 5, attribute);
        wire::appendBytes(graph, 1, node);
        inner = std::move(graph);
    }
    std::string model;
    wire::appendBytes(model, 7, inner);
    return model;
}

TEST(BadInput, aPlaceFarInsideIsNamedByItsEnds) {
    auto near = loadText(nested("\x0a\x05", 2));
    ASSERT_FALSE(near);
    EXPECT_NE(
        near.error().message.find("`graph.node[0].attribute[0].g.node[0].attribute[0].g`, field 1 is 5"),
        std::string::npos)
        << near.error().message;
    for (const auto& [inner, depth] : {std::pair("\x0a\x05", 100), std::pair("\x0a\x00", 600)}) {
        auto far = loadText(nested(std::string(inner, 2), depth));
        ASSERT_FALSE(far);
        EXPECT_LT(far.error().message.size(), 300U) << far.error().message;
        EXPECT_NE(far.error().message.find("`graph.node[0].attribute[0].g` ... `"), std::string::npos)
            << far.error().message;
    }
}

TEST(BadInput, randomBytesAreRefusedAndNeverCrash) {
    std::mt19937 random(99);
    for (int round = 0; round < 3000; ++round) {
        std::string bytes(random() % 200, '\0');
        for (char& byte : bytes)
            byte = static_cast<char>(random());
        auto loaded = loadText(bytes);
        EXPECT_TRUE(loaded || !loaded.error().message.empty());
    }
}

TEST(BadInput, aCancelledLoadSaysSo) {
    onnx::ModelProto proto = testing::smallModel();
    for (int i = 0; i < 2000; ++i)
        testing::addNode(proto.mutable_graph(), "Relu", {"X"}, {"v" + std::to_string(i)});
    const TemporaryFolder folder;
    const auto path = folder.put("big.onnx", proto.SerializeAsString());
    WorkContext work;
    work.cancel.cancel();
    auto loaded = loadModel(path, work);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::cancelled);
}

} // namespace
} // namespace secateur
