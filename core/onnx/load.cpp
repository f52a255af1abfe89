// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/load.h"

#include "core/onnx/file_format.h"
#include "core/onnx/format_problems.h"
#include "core/onnx/model_reader.h"
#include "core/onnx/ort_checkpoint.h"
#include "core/support/mapped_file.h"

#include <iterator>
#include <system_error>
#include <utility>

namespace secateur {
namespace fs = std::filesystem;
namespace {

Result<LoadedModel> loadFrom(ByteRef bytes, const fs::path& shownPath, const fs::path& folder,
                             const fs::path& file, const WorkContext& work) {
    const std::uint64_t size = bytes.size;
    ByteSource source(std::move(bytes));
    if (auto other = describeCertainFormat(source.all(), shownPath))
        return invalidInput(*other, shownPath.string());
    ExternalFiles external(folder, file);
    ModelReader reader(source, external, work);
    Result<Model> model = reader.read();
    if (!model) {
        Error error = std::move(model).error();
        if (error.code == ErrorCode::cancelled) return error;
        if (auto other = describeLikelyFormat(source.all(), shownPath)) error.message = *other;
        error.where = shownPath.string();
        return error;
    }
    LoadedModel loaded;
    loaded.problems = reader.takeProblems();
    loaded.fileBytes = size;
    loaded.externalBytes = external.bytes();
    loaded.metadataBytes = reader.metadataBytes();
    loaded.model = std::move(*model);
    for (auto* find : {&findFormatProblems, &findProblems}) {
        auto problems = (*find)(loaded.model);
        std::move(problems.begin(), problems.end(), std::back_inserter(loaded.problems));
    }
    return loaded;
}

} // namespace

Result<LoadedModel> loadModel(const fs::path& path, const WorkContext& work) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return invalidInput(describeFolder(path), path.string());
    const std::shared_ptr<const MappedFile> file = TRY(MappedFile::open(path));
    const auto bytes = file->bytes();
    LoadedModel loaded =
        TRY(loadFrom({file, bytes.data(), bytes.size()}, path, path.parent_path(), path, work));
    loaded.path = path;
    const fs::path sibling = path.parent_path() / "checkpoint";
    if (looksLikeOrtCheckpoint(sibling)) loaded.checkpoint = sibling;
    return loaded;
}

Result<LoadedModel> loadModelFromBytes(ByteRef bytes, std::string name, fs::path folder) {
    return loadFrom(std::move(bytes), name, folder, {}, {});
}

} // namespace secateur
