// SPDX-License-Identifier: Apache-2.0
#include "tests/project/source_rules.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>

namespace secateur::testing {

namespace {

constexpr std::size_t kMostLines = 600;
constexpr std::array kFolders{"app", "core", "gpu", "resources", "tests", "ui"};

std::vector<std::string> linesOf(std::string_view text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

bool startsWith(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}
bool endsWith(std::string_view text, std::string_view with) {
    return text.size() >= with.size() && text.substr(text.size() - with.size()) == with;
}

bool isCpp(std::string_view path) {
    return endsWith(path, ".h") || endsWith(path, ".cpp") || endsWith(path, ".cu") || endsWith(path, ".inc");
}

bool isOurs(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return isCpp(name) || name == "CMakeLists.txt" || endsWith(name, ".cmake") || endsWith(name, ".sh") ||
           endsWith(name, ".py");
}

/// What stands in an #include line: the name, and whether in angle brackets.
struct Include {
    std::string name;
    bool isSystem = false;
};

std::optional<Include> includeIn(const std::string& line) {
    static const std::regex kInclude(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
    std::smatch match;
    if (!std::regex_search(line, match, kInclude)) return std::nullopt;
    return Include{match[2].str(), match[1].str() == "<"};
}

/// The line without its // comment and without what stands in quotes.
std::string codeOf(const std::string& line) {
    static const std::regex kQuoted(R"re("(\\.|[^"\\])*")re");
    const std::string bare = std::regex_replace(line, kQuoted, "\"\"");
    return bare.substr(0, bare.find("//"));
}

bool isQt(const Include& include) {
    static const std::regex kQt(R"(^(Q[A-Z]\w*|q[a-z]+\.h|Qt[A-Z]\w*/.*)$)");
    return include.isSystem && std::regex_match(include.name, kQt);
}

bool isCuda(const Include& include) {
    static const std::regex kCuda(R"(^(cuda|cublas|cudnn|nvrtc|thrust/|cub/).*)");
    return std::regex_match(include.name, kCuda);
}

bool isHeavy(const Include& include) {
    return startsWith(include.name, "google/") || startsWith(include.name, "onnx/") ||
           startsWith(include.name, "nlohmann/");
}

/// Why a file may not include this, or nothing.
std::optional<std::string> whyForbidden(std::string_view path, const Include& include) {
    const auto isIn = [&](std::string_view folder) { return startsWith(path, folder); };
    const auto takes = [&](std::string_view folder) { return startsWith(include.name, folder); };
    if (isIn("core/")) {
        if (isQt(include)) return "core has no Qt";
        if (isCuda(include)) return "core has no CUDA";
        if (takes("gpu/") || takes("ui/") || takes("app/")) return "core stands below gpu, ui and app";
        if (include.name == "iostream") return "core prints nothing";
        // Sentences by id know nothing of the rest of core, so that every layer can speak.
        const bool isWords = include.name == "core/messages/sentences.h";
        if (isIn("core/support/") && takes("core/") && !takes("core/support/") && !isWords)
            return "support stands below all";
        if (isIn("core/ir/") && takes("core/") && !takes("core/ir/") && !takes("core/support/") && !isWords)
            return "ir stands on support alone";
        const bool isReaderOfFormats = isIn("core/onnx/") || isIn("core/report/") || isIn("core/messages/");
        if (endsWith(path, ".h") && isHeavy(include) && !isReaderOfFormats)
            return "headers of core stay light";
    }
    if (isIn("gpu/") && (isQt(include) || takes("ui/") || takes("app/"))) return "gpu stands on core alone";
    if (isIn("ui/") && takes("gpu/")) return "ui never includes gpu";
    if (isIn("ui/") && takes("app/")) return "app wires ui, not the other way";
    if (!isIn("tests/") && takes("tests/")) return "programs do not contain tests";
    return std::nullopt;
}

} // namespace

std::vector<SourceFile> sourceFilesOf(const std::filesystem::path& root) {
    std::vector<SourceFile> files;
    const auto add = [&](const std::filesystem::path& path) {
        std::ifstream in(path, std::ios::binary);
        files.push_back({std::filesystem::relative(path, root).generic_string(),
                         {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}});
    };
    add(root / "CMakeLists.txt");
    for (const char* folder : kFolders) {
        if (!std::filesystem::is_directory(root / folder)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
            if (entry.is_regular_file() && isOurs(entry.path())) add(entry.path());
    }
    std::sort(files.begin(), files.end(),
              [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
    return files;
}

std::vector<std::string> borderViolations(const SourceFile& file) {
    std::vector<std::string> found;
    if (!isCpp(file.path)) return found;
    static const std::regex kPrints(
        R"(\bstd::(cout|cerr|clog|puts|printf|putchar)\b|\b(stdout|stderr)\b|(^|[^\w:.>])(printf|puts|putchar)\s*\(|fmt::print)");
    const std::vector<std::string> lines = linesOf(file.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string where = file.path + ":" + std::to_string(i + 1) + ": ";
        if (const auto include = includeIn(lines[i])) {
            if (const auto why = whyForbidden(file.path, *include))
                found.push_back(where + *why + ": " + include->name);
        } else if (startsWith(file.path, "core/") && std::regex_search(codeOf(lines[i]), kPrints)) {
            found.push_back(where + "core prints nothing: " + lines[i]);
        }
    }
    return found;
}

std::vector<std::string> formViolations(const SourceFile& file) {
    std::vector<std::string> found;
    const std::vector<std::string> lines = linesOf(file.text);
    const std::size_t licenceLine = !lines.empty() && startsWith(lines[0], "#!") ? 1 : 0;
    const std::string licence =
        std::string(isCpp(file.path) ? "//" : "#") + " SPDX-License-Identifier: Apache-2.0";
    if (lines.size() <= licenceLine || lines[licenceLine] != licence)
        found.push_back(file.path + ":1: must start with `" + licence + "`");
    if (lines.size() > kMostLines)
        found.push_back(file.path + ": " + std::to_string(lines.size()) + " lines, at most " +
                        std::to_string(kMostLines) + "; one idea a file");
    if (endsWith(file.path, ".h") && file.text.find("#pragma once") == std::string::npos)
        found.push_back(file.path + ": a header needs #pragma once");
    if (endsWith(file.path, ".h"))
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (startsWith(lines[i], "using namespace "))
                found.push_back(file.path + ":" + std::to_string(i + 1) + ": no using-directive in a header");
    // Spelt in two halves, or this file would find itself.
    static const std::regex kLeftOver(std::string(R"(\b(TO)") + "DO|FIX" + R"(ME)\b)");
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (std::regex_search(lines[i], kLeftOver))
            found.push_back(file.path + ":" + std::to_string(i + 1) + ": left over: " + lines[i]);
    return found;
}

} // namespace secateur::testing
