// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/file_format.h"

#include "core/messages/sentences.h"
#include "core/onnx/wire.h"
#include "core/support/file_names.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>
#include <utility>
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

/// "is <what>, not an ONNX model; <advice>": message ids, and a command or file name for the advice.
std::string isA(const char* what, const char* advice, const std::string& detail = {}) {
    return formatMessage("format.not-onnx", {std::string(message(what)), formatMessage(advice, {detail})});
}

std::string exportWith(const char* what, const std::string& command) {
    return isA(what, "format.export-with", command);
}

/// An ONNX model in another form that the onnx package of Python reads.
std::string convertWith(const char* what, const fs::path& path, std::string_view form) {
    return isA(what, "format.to-binary",
               fmt::format("python -c \"import onnx; onnx.save(onnx.load('{}', format='{}'), '{}')\"",
                           fileName(path), form, onnxName(path)));
}

std::string torchCommand(const std::string& load, const fs::path& path, std::string_view more) {
    const std::string command = fmt::format(
        "python -c \"import torch; torch.onnx.export({}, (torch.randn(1, 3, 224, 224),), '{}'{})\"", load,
        onnxName(path), more);
    return formatMessage("format.your-shape", {command});
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
            "format.exported-program",
            fmt::format("python -c \"import torch; torch.onnx.export(torch.export.load('{}'), f='{}', "
                        "dynamo=True)\"",
                        name, onnxName(path)));
    }
    if (holds("model.weights.h5")) {
        return exportWith("format.keras",
                          fmt::format("python -c \"import keras; keras.saving.load_model('{}').export("
                                      "'{}', format='onnx')\"",
                                      name, onnxName(path)));
    }
    if (holds("data.pkl") && (holds("constants.pkl") || holds("/code/"))) {
        return exportWith("format.torchscript",
                          torchCommand(fmt::format("torch.jit.load('{}')", name), path, ", dynamo=False"));
    }
    if (holds("data.pkl")) {
        return exportWith("format.torch-save",
                          torchCommand(fmt::format("torch.load('{}', weights_only=False)", name), path, ""));
    }
    if (holds(".mlmodel") || holds("Manifest.json")) {
        return isA("format.core-ml-package", "format.from-framework");
    }
    if (holds("saved_model.pb")) {
        return isA("format.zipped-saved-model", "format.unpack-and-export",
                   fmt::format("python -m tf2onnx.convert --saved-model FOLDER --output {}", onnxName(path)));
    }
    if (holds(".npy")) return isA("format.numpy-archive", "format.open-owner-of-arrays");
    if (holds(".onnx")) return isA("format.zipped-onnx", "format.unpack-with", "unzip " + name);
    return isA("format.zip", "format.unpack-with", "unzip " + name);
}

std::string_view trimmed(std::string_view text) {
    if (hasAt(text, 0, "\xef\xbb\xbf")) text.remove_prefix(3);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    return text;
}

std::string describeJson(std::string_view head, const fs::path& path) {
    if (contains(head, "\"opsetImport\"") || contains(head, "\"irVersion\"")) {
        return convertWith("format.onnx-json", path, "json");
    }
    if (contains(head, "\"graph-model\"") || contains(head, "\"modelTopology\"")) {
        return exportWith(
            "format.tensorflow-js",
            fmt::format("python -m tf2onnx.convert --tfjs {} --output {}", fileName(path), onnxName(path)));
    }
    return isA("format.json", "format.no-description");
}

std::optional<std::string> describeText(std::string_view bytes, const fs::path& path) {
    const std::string_view head = trimmed(bytes.substr(0, 64 * 1024));
    std::string lower(head.substr(0, 512));
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (hasAt(head, 0, "version https://git-lfs.github.com/spec")) {
        return isA("format.lfs-pointer", "format.lfs-pull", "git lfs pull");
    }
    if (lower.starts_with("<!doctype html") || lower.starts_with("<html")) {
        return isA("format.web-page", "format.download-again");
    }
    if (lower.starts_with("<?xml") || lower.starts_with("<net")) {
        if (contains(lower, "<net")) {
            return isA("format.openvino", "format.not-back");
        }
        return isA("format.xml", "format.open-itself");
    }
    if (head.starts_with("{") || head.starts_with("[")) return describeJson(head, path);
    if (head.starts_with("ir_version:") || head.starts_with("producer_name:") ||
        head.starts_with("graph {")) {
        return convertWith("format.onnx-protobuf-text", path, "textproto");
    }
    if (head.starts_with("<") && contains(lower, "ir_version")) {
        return isA("format.onnx-text", "format.to-binary",
                   fmt::format("python -c \"import onnx, onnx.parser; "
                               "onnx.save(onnx.parser.parse_model(open('{}').read()), '{}')\"",
                               fileName(path), onnxName(path)));
    }
    return std::nullopt;
}

/// Text has no control characters, and nearly all of it is UTF-8: a letter of an older encoding, or one that
/// is cut in two at the end, may stand in it.
bool isText(std::string_view bytes) {
    std::size_t good = 0, bad = 0;
    for (std::size_t at = 0; at < bytes.size();) {
        const char32_t c = nextCodePoint(bytes, at);
        if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f') || c == 0x7F) return false;
        ++(c == 0xFFFD ? bad : good);
    }
    return good > 0 && bad <= 1 + good / 16;
}

/// Files that have nothing to do with models, and are named for one by mistake.
std::optional<std::string> describeStranger(std::string_view bytes) {
    using namespace std::string_view_literals;
    constexpr std::array<std::pair<std::string_view, const char*>, 9> kStrangers{{
        {"\x89PNG\r\n\x1a\n"sv, "format.png"},
        {"\xff\xd8\xff"sv, "format.jpeg"},
        {"GIF8"sv, "format.gif"},
        {"RIFF"sv, "format.webp"},
        {"%PDF-"sv, "format.pdf"},
        {"\x7f"
         "ELF"sv,
         "format.program"},
        {"MZ\x90\0"sv, "format.program"},
        {"\xcf\xfa\xed\xfe"sv, "format.program"},
        {"SQLite format 3\0"sv, "format.sqlite"},
    }};
    for (const auto& [magic, what] : kStrangers) {
        if (hasAt(bytes, 0, magic)) return isA(what, "format.open-itself");
    }
    return std::nullopt;
}

std::optional<std::string> describeArchive(std::string_view bytes, const fs::path& path) {
    struct Archive {
        std::string_view magic;
        const char *what, *command;
        std::size_t at = 0;
    };
    using namespace std::string_view_literals;
    constexpr std::array kArchives{
        Archive{"\x1f\x8b"sv, "format.gzip", "gunzip --keep"},
        Archive{"\x28\xb5\x2f\xfd"sv, "format.zstd", "unzstd"},
        Archive{"\xfd"
                "7zXZ"sv,
                "format.xz", "unxz --keep"},
        Archive{"BZh"sv, "format.bzip2", "bunzip2 --keep"},
        Archive{"7z\xbc\xaf"sv, "format.seven-zip", "7z x"},
        Archive{"ustar"sv, "format.tar", "tar xf", 257},
    };
    for (const Archive& archive : kArchives) {
        if (!hasAt(bytes, archive.at, archive.magic)) continue;
        return isA(archive.what, "format.unpack-with", fmt::format("{} {}", archive.command, fileName(path)));
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
        return exportWith("format.saved-model",
                          fmt::format("python -m tf2onnx.convert --saved-model {} --output {}",
                                      path.parent_path().empty() ? "." : path.parent_path().string(),
                                      "model.onnx"));
    }
    if (first.number == 1 && isLength(first) && isPaddleBlock(first)) {
        return exportWith(
            "format.paddle",
            fmt::format("paddle2onnx --model_dir . --model_filename {} --params_filename {}.pdiparams "
                        "--save_file {}",
                        name, path.stem().string(), onnxName(path)));
    }
    if (first.number == 1 && isLength(first) && isNodeDef(first)) {
        return exportWith(
            "format.tensorflow-graph",
            fmt::format("python -m tf2onnx.convert --graphdef {} --inputs INPUT:0 --outputs OUTPUT:0 "
                        "--output {}",
                        name, onnxName(path)));
    }
    if (hasField(fields, 2, wire::WireType::varint) &&
        (hasField(fields, 9, wire::WireType::length) || hasField(fields, 4, wire::WireType::length) ||
         hasField(fields, 7, wire::WireType::length) || hasField(fields, 8, wire::WireType::length)) &&
        !hasField(fields, 1, wire::WireType::length)) {
        return isA("format.tensor", "format.open-owner");
    }
    if (first.number == 1 && isVarint(first) && hasField(fields, 2, wire::WireType::length) &&
        first.value <= 10 && !hasField(fields, 7, wire::WireType::length) &&
        contains(bytes.substr(0, 4096), "com.github.apple.coremltools")) {
        return isA("format.core-ml", "format.from-framework");
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> describeCertainFormat(std::string_view bytes, const fs::path& path) {
    using namespace std::string_view_literals;
    const std::string name = fileName(path);
    if (bytes.empty()) return formatMessage("format.empty", {});
    if (hasAt(bytes, 0, "PK\x03\x04"sv)) return describeZip(bytes, path);
    if (hasAt(bytes, 0, "\x89HDF\r\n\x1a\n"sv)) {
        return exportWith("format.hdf5",
                          fmt::format("python -c \"import keras; keras.saving.load_model('{}').export('{}', "
                                      "format='onnx')\"",
                                      name, onnxName(path)));
    }
    if (hasAt(bytes, 4, "TFL3"sv)) {
        return exportWith(
            "format.tensorflow-lite",
            fmt::format("python -m tf2onnx.convert --tflite {} --output {}", name, onnxName(path)));
    }
    if (hasAt(bytes, 4, "ORTM"sv)) {
        return isA("format.ort", "format.not-back-open-onnx");
    }
    if (hasAt(bytes, 4, "ODTC"sv)) {
        return isA("format.checkpoint", "format.with-weights", name);
    }
    if (hasAt(bytes, 0, "GGUF"sv)) {
        return isA("format.gguf", "format.export-original", "optimum-cli export onnx --model MODEL FOLDER");
    }
    if (bytes.size() > 9 && hasAt(bytes, 8, "{"sv) && contains(bytes.substr(8, 4096), "\"dtype\"") &&
        contains(bytes.substr(8, 4096), "\"data_offsets\"")) {
        return isA("format.safetensors", "format.export-folder",
                   "optimum-cli export onnx --model FOLDER OUTPUT_FOLDER");
    }
    if (hasAt(bytes, 0, "\x93NUMPY"sv)) return isA("format.numpy", "format.open-owner");
    if (hasAt(bytes, 0, "\x80\x02"sv) || hasAt(bytes, 0, "\x80\x03"sv) || hasAt(bytes, 0, "\x80\x04\x95"sv) ||
        hasAt(bytes, 0, "\x80\x05\x95"sv)) {
        return exportWith("format.pickle",
                          torchCommand(fmt::format("torch.load('{}', weights_only=False)", name), path, ""));
    }
    if (auto stranger = describeStranger(bytes)) return stranger;
    if (auto archive = describeArchive(bytes, path)) return archive;
    return describeText(bytes, path);
}

std::optional<std::string> describeLikelyFormat(std::string_view bytes, const fs::path& path) {
    if (std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; }))
        return formatMessage("format.zeros", {});
    if (isText(bytes.substr(0, 1024))) return isA("format.text", "format.open-itself");
    return describeProtobuf(bytes, path);
}

std::string describeFolder(const fs::path& path) {
    std::error_code failed;
    std::vector<std::string> models;
    bool hasSavedModel = false, hasSafetensors = false;
    for (fs::directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed)) {
        const fs::path name = at->path().filename();
        if (endingOf(name) == ".onnx") models.push_back(name.string());
        hasSavedModel = hasSavedModel || name == "saved_model.pb";
        hasSafetensors = hasSafetensors || endingOf(name) == ".safetensors";
    }
    std::sort(models.begin(), models.end());
    if (!models.empty()) {
        const char* sentence = models.size() > 1 ? "format.folder-of-many" : "format.folder";
        return formatMessage(sentence, {(path / models.front()).string(), std::to_string(models.size() - 1)});
    }
    if (hasSavedModel) {
        return exportWith(
            "format.saved-model-folder",
            fmt::format("python -m tf2onnx.convert --saved-model {} --output model.onnx", path.string()));
    }
    if (hasSafetensors) {
        return exportWith("format.weights-folder",
                          fmt::format("optimum-cli export onnx --model {} OUTPUT_FOLDER", path.string()));
    }
    return formatMessage("format.no-model-in-folder", {});
}

} // namespace secateur
