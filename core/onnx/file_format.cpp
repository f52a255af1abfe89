// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/file_format.h"

#include "core/onnx/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>
#include <vector>

namespace secateur {
namespace fs = std::filesystem;
namespace {

using wire::Field;
using wire::isLength;
using wire::isVarint;

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool hasAt(std::string_view bytes, std::size_t at, std::string_view magic) {
    return bytes.size() >= at + magic.size() && bytes.substr(at, magic.size()) == magic;
}

std::string fileName(const fs::path& path) {
    return path.filename().string();
}

std::string onnxName(const fs::path& path) {
    const std::string stem = path.stem().string();
    return (stem.empty() ? "model" : stem) + ".onnx";
}

std::string isA(std::string_view what, const std::string& advice) {
    return fmt::format("is {}, not an ONNX model; {}", what, advice);
}

std::string exportWith(std::string_view what, const std::string& command) {
    return isA(what, fmt::format("export one from it with:\n  {}", command));
}

std::string torchCommand(const std::string& load, const fs::path& path, std::string_view more) {
    return fmt::format(
        "python -c \"import torch; torch.onnx.export({}, (torch.randn(1, 3, 224, 224),), '{}'{})\"\n"
        "with the shape of your model's input in place of 1, 3, 224, 224",
        load, onnxName(path), more);
}

/// Entry names of a zip stand in its central directory, at the end.
std::string describeZip(std::string_view bytes, const fs::path& path) {
    constexpr std::size_t kHead = 64 * 1024, kTail = 1024 * 1024;
    const std::string_view head = bytes.substr(0, kHead);
    const std::string_view tail = bytes.substr(bytes.size() - std::min(bytes.size(), kTail));
    const auto holds = [&](std::string_view entry) { return contains(tail, entry) || contains(head, entry); };
    const std::string name = fileName(path);
    if (holds("serialized_exported_program.json") || holds("archive_format") || holds("models/model.json")) {
        return exportWith(
            "a PyTorch exported program (.pt2)",
            fmt::format("python -c \"import torch; torch.onnx.export(torch.export.load('{}'), f='{}', "
                        "dynamo=True)\"",
                        name, onnxName(path)));
    }
    if (holds("model.weights.h5")) {
        return exportWith("a Keras model",
                          fmt::format("python -c \"import keras; keras.saving.load_model('{}').export("
                                      "'{}', format='onnx')\"",
                                      name, onnxName(path)));
    }
    if (holds("data.pkl") && (holds("constants.pkl") || holds("/code/"))) {
        return exportWith("a TorchScript model",
                          torchCommand(fmt::format("torch.jit.load('{}')", name), path, ", dynamo=False"));
    }
    if (holds("data.pkl")) {
        return exportWith(
            "a PyTorch file made by torch.save (if it holds weights only, build the module and load "
            "them into it first)",
            torchCommand(fmt::format("torch.load('{}', weights_only=False)", name), path, ""));
    }
    if (holds(".mlmodel") || holds("Manifest.json")) {
        return isA("a Core ML package", "export an ONNX model from the framework the model was trained in");
    }
    if (holds("saved_model.pb")) {
        return isA("a zip archive of a TensorFlow SavedModel",
                   fmt::format("unpack it, then export one with:\n  python -m tf2onnx.convert --saved-model "
                               "FOLDER --output {}",
                               onnxName(path)));
    }
    if (holds(".npy"))
        return isA("a NumPy archive", "it holds arrays only; open the model that they belong to");
    if (holds(".onnx"))
        return isA("a zip archive that holds one", fmt::format("unpack it with:\n  unzip {}", name));
    return isA("a zip archive", fmt::format("unpack it with:\n  unzip {}", name));
}

std::string_view trimmed(std::string_view text) {
    if (hasAt(text, 0, "\xef\xbb\xbf")) text.remove_prefix(3);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    return text;
}

std::string describeJson(std::string_view head, const fs::path& path) {
    const std::string name = fileName(path);
    if (contains(head, "\"opsetImport\"") || contains(head, "\"irVersion\"")) {
        return isA(
            "an ONNX model written as JSON",
            fmt::format(
                "turn it into a binary one with:\n  python -c \"import onnx; onnx.save(onnx.load('{}', "
                "format='json'), '{}')\"",
                name, onnxName(path)));
    }
    if (contains(head, "\"graph-model\"") || contains(head, "\"modelTopology\"")) {
        return exportWith(
            "a TensorFlow.js model",
            fmt::format("python -m tf2onnx.convert --tfjs {} --output {}", name, onnxName(path)));
    }
    return isA("JSON", "open the model file itself; a description, a configuration or a recipe is no model");
}

std::optional<std::string> describeText(std::string_view bytes, const fs::path& path) {
    const std::string_view head = trimmed(bytes.substr(0, 64 * 1024));
    std::string lower(head.substr(0, 512));
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    const std::string name = fileName(path);
    if (hasAt(head, 0, "version https://git-lfs.github.com/spec")) {
        return isA("a Git LFS pointer",
                   "the model itself was not downloaded; fetch it with:\n  git lfs pull");
    }
    if (lower.starts_with("<!doctype html") || lower.starts_with("<html")) {
        return isA(
            "a web page",
            "the download gave an error or login page; download the model again, from its raw address");
    }
    if (lower.starts_with("<?xml") || lower.starts_with("<net")) {
        if (contains(lower, "<net")) {
            return isA("an OpenVINO model",
                       "it cannot be turned back; export an ONNX model from the framework that the "
                       "model was trained in");
        }
        return isA("XML", "open the model file itself");
    }
    if (head.starts_with("{") || head.starts_with("[")) return describeJson(head, path);
    if (head.starts_with("ir_version:") || head.starts_with("producer_name:") ||
        head.starts_with("graph {")) {
        return isA(
            "an ONNX model written as protobuf text",
            fmt::format(
                "turn it into a binary one with:\n  python -c \"import onnx; onnx.save(onnx.load('{}', "
                "format='textproto'), '{}')\"",
                name, onnxName(path)));
    }
    if (head.starts_with("<") && contains(lower, "ir_version")) {
        return isA("an ONNX model in ONNX's text form",
                   fmt::format("turn it into a binary one with:\n  python -c \"import onnx, onnx.parser; "
                               "onnx.save(onnx.parser.parse_model(open('{}').read()), '{}')\"",
                               name, onnxName(path)));
    }
    return std::nullopt;
}

bool isPrintable(std::string_view bytes) {
    return !bytes.empty() && std::all_of(bytes.begin(), bytes.end(), [](char c) {
        const auto u = static_cast<unsigned char>(c);
        return u >= 0x20 || u == '\n' || u == '\r' || u == '\t';
    });
}

std::optional<std::string> describeArchive(std::string_view bytes, const fs::path& path) {
    struct Archive {
        std::string_view magic, what, command;
        std::size_t at = 0;
    };
    using namespace std::string_view_literals;
    constexpr std::array kArchives{
        Archive{"\x1f\x8b"sv, "a gzip file", "gunzip --keep"},
        Archive{"\x28\xb5\x2f\xfd"sv, "a Zstandard file", "unzstd"},
        Archive{"\xfd"
                "7zXZ"sv,
                "an xz file", "unxz --keep"},
        Archive{"BZh"sv, "a bzip2 file", "bunzip2 --keep"},
        Archive{"7z\xbc\xaf"sv, "a 7-Zip archive", "7z x"},
        Archive{"ustar"sv, "a tar archive", "tar xf", 257},
    };
    for (const Archive& archive : kArchives) {
        if (!hasAt(bytes, archive.at, archive.magic)) continue;
        return isA(archive.what, fmt::format("unpack it with:\n  {} {}", archive.command, fileName(path)));
    }
    return std::nullopt;
}

/// Fields of the outermost message up to where it stops to be protobuf; at most 64.
std::vector<Field> firstFields(std::string_view bytes) {
    std::vector<Field> fields;
    try {
        wire::Reader reader(bytes);
        for (Field field; fields.size() < 64 && reader.next(field);)
            fields.push_back(field);
    } catch (const wire::Malformed&) {
        return fields;
    }
    return fields;
}

bool hasField(const std::vector<Field>& fields, std::uint32_t number, wire::WireType type) {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const Field& f) { return f.number == number && f.type == type; });
}

/// Does this look like a NodeDef of TensorFlow (name, op) or like a block of PaddlePaddle (number, parent
/// number)?
bool isNodeDef(const Field& field) {
    const auto inner = firstFields(field.payload);
    return inner.size() >= 2 && inner[0].number == 1 && isLength(inner[0]) && inner[1].number == 2 &&
           isLength(inner[1]);
}
bool isPaddleBlock(const Field& field) {
    const auto inner = firstFields(field.payload);
    return inner.size() >= 2 && inner[0].number == 1 && isVarint(inner[0]) && inner[1].number == 2 &&
           isVarint(inner[1]);
}

std::optional<std::string> describeProtobuf(std::string_view bytes, const fs::path& path) {
    const auto fields = firstFields(bytes);
    if (fields.empty()) return std::nullopt;
    const std::string name = fileName(path);
    const Field& first = fields.front();
    if (first.number == 1 && isVarint(first) && fields.size() >= 2 && fields[1].number == 2 &&
        isLength(fields[1]) && first.value == 1 && contains(fields[1].payload, "serve")) {
        return exportWith("a TensorFlow SavedModel",
                          fmt::format("python -m tf2onnx.convert --saved-model {} --output {}",
                                      path.parent_path().empty() ? "." : path.parent_path().string(),
                                      "model.onnx"));
    }
    if (first.number == 1 && isLength(first) && isPaddleBlock(first)) {
        return exportWith(
            "a PaddlePaddle model",
            fmt::format("paddle2onnx --model_dir . --model_filename {} --params_filename {}.pdiparams "
                        "--save_file {}",
                        name, path.stem().string(), onnxName(path)));
    }
    if (first.number == 1 && isLength(first) && isNodeDef(first)) {
        return exportWith(
            "a TensorFlow graph",
            fmt::format("python -m tf2onnx.convert --graphdef {} --inputs INPUT:0 --outputs OUTPUT:0 "
                        "--output {}",
                        name, onnxName(path)));
    }
    if (hasField(fields, 2, wire::WireType::varint) &&
        (hasField(fields, 9, wire::WireType::length) || hasField(fields, 4, wire::WireType::length) ||
         hasField(fields, 7, wire::WireType::length) || hasField(fields, 8, wire::WireType::length)) &&
        !hasField(fields, 1, wire::WireType::length)) {
        return isA("a single ONNX tensor (as test data are stored)", "open the model that it belongs to");
    }
    if (first.number == 1 && isVarint(first) && hasField(fields, 2, wire::WireType::length) &&
        first.value <= 10 && !hasField(fields, 7, wire::WireType::length) &&
        contains(bytes.substr(0, 4096), "com.github.apple.coremltools")) {
        return isA("a Core ML model", "export an ONNX model from the framework the model was trained in");
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> describeCertainFormat(std::string_view bytes, const fs::path& path) {
    using namespace std::string_view_literals;
    const std::string name = fileName(path);
    if (bytes.empty()) return "is empty (0 bytes); the download or export did not finish: do it again";
    if (hasAt(bytes, 0, "PK\x03\x04"sv)) return describeZip(bytes, path);
    if (hasAt(bytes, 0, "\x89HDF\r\n\x1a\n"sv)) {
        return exportWith("an HDF5 file, as Keras writes them",
                          fmt::format("python -c \"import keras; keras.saving.load_model('{}').export('{}', "
                                      "format='onnx')\"",
                                      name, onnxName(path)));
    }
    if (hasAt(bytes, 4, "TFL3"sv)) {
        return exportWith(
            "a TensorFlow Lite model",
            fmt::format("python -m tf2onnx.convert --tflite {} --output {}", name, onnxName(path)));
    }
    if (hasAt(bytes, 4, "ORTM"sv)) {
        return isA("a model in ONNX Runtime's own format (.ort)",
                   "it cannot be turned back; open the .onnx file it was made from");
    }
    if (hasAt(bytes, 4, "ODTC"sv)) {
        return isA(
            "an ONNX Runtime training checkpoint",
            fmt::format(
                "it holds weights only; open the training model, and give this file with `--weights {}`",
                name));
    }
    if (hasAt(bytes, 0, "GGUF"sv)) {
        return isA("a GGUF file (weights for llama.cpp)",
                   "export an ONNX model from the original one with:\n  optimum-cli export onnx --model "
                   "MODEL FOLDER");
    }
    if (bytes.size() > 9 && hasAt(bytes, 8, "{"sv) && contains(bytes.substr(8, 4096), "\"dtype\"") &&
        contains(bytes.substr(8, 4096), "\"data_offsets\"")) {
        return isA(
            "a safetensors file",
            "it holds weights only; export the whole model, from the folder with its config.json, with:\n  "
            "optimum-cli export onnx --model FOLDER OUTPUT_FOLDER");
    }
    if (hasAt(bytes, 0, "\x93NUMPY"sv)) return isA("a NumPy array", "open the model that it belongs to");
    if (hasAt(bytes, 0, "\x80\x02"sv) || hasAt(bytes, 0, "\x80\x03"sv) || hasAt(bytes, 0, "\x80\x04\x95"sv) ||
        hasAt(bytes, 0, "\x80\x05\x95"sv)) {
        return exportWith("a Python pickle, as old versions of PyTorch write them",
                          torchCommand(fmt::format("torch.load('{}', weights_only=False)", name), path, ""));
    }
    if (auto archive = describeArchive(bytes, path)) return archive;
    return describeText(bytes, path);
}

std::optional<std::string> describeLikelyFormat(std::string_view bytes, const fs::path& path) {
    if (isPrintable(bytes.substr(0, 1024))) return isA("a text file", "open the model file itself");
    return describeProtobuf(bytes, path);
}

std::string describeFolder(const fs::path& path) {
    std::error_code failed;
    std::vector<std::string> models;
    bool hasSavedModel = false, hasSafetensors = false;
    for (fs::directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed)) {
        const fs::path name = at->path().filename();
        if (name.extension() == ".onnx") models.push_back(name.string());
        hasSavedModel = hasSavedModel || name == "saved_model.pb";
        hasSafetensors = hasSafetensors || name.extension() == ".safetensors";
    }
    std::sort(models.begin(), models.end());
    if (!models.empty()) {
        return fmt::format("is a folder; open a model in it: {}", (path / models.front()).string()) +
               (models.size() > 1 ? fmt::format(" (or one of {} others)", models.size() - 1) : "");
    }
    if (hasSavedModel) {
        return exportWith(
            "a folder with a TensorFlow SavedModel",
            fmt::format("python -m tf2onnx.convert --saved-model {} --output model.onnx", path.string()));
    }
    if (hasSafetensors) {
        return exportWith("a folder with the weights of a model",
                          fmt::format("optimum-cli export onnx --model {} OUTPUT_FOLDER", path.string()));
    }
    return "is a folder without an .onnx file; name the model file";
}

} // namespace secateur
