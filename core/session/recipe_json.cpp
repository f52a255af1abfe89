// SPDX-License-Identifier: Apache-2.0
#include "core/messages/messages.h"
#include "core/session/recipe.h"
#include "core/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>

namespace secateur {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kRecipeVersion = 1;
constexpr std::array kRecipeFields{"secateur_recipe", "targets", "pinned_targets", "weights",
                                   "weights_hash",    "for",     "steps"};
constexpr std::array kStepFields{"pass", "on", "options", "skipped", "rewrites"};

/// Reads one object, field by field, and remembers where it is for messages.
class FieldReader {
  public:
    FieldReader(const Json& json, std::string file, std::string place)
        : m_json(json), m_file(std::move(file)), m_place(std::move(place)) {}

    template <std::size_t N> Result<void> refuseOthers(const std::array<const char*, N>& fields) const {
        const std::vector<std::string> known(fields.begin(), fields.end());
        for (const auto& [name, value] : m_json.items()) {
            if (std::find(known.begin(), known.end(), name) != known.end()) continue;
            const auto near = nearestNames(name, known, 1);
            const std::string hint =
                near.empty() ? "" : formatMessage("error.did-you-mean", {"`" + near[0] + "`"});
            return invalidInput(formatMessage("error.recipe-field", {name, m_place, hint}), m_file);
        }
        return {};
    }

    /// The field as a T, `otherwise` where it is not there; an error where it is something else than `kind`
    /// (a message id) says.
    template <class T> Result<T> get(const char* name, T otherwise, const char* kind) const {
        const auto at = m_json.find(name);
        if (at == m_json.end()) return otherwise;
        if (!fits(*at, otherwise)) return wrong(name, kind);
        return at->template get<T>();
    }

    [[nodiscard]] Error wrong(const char* name, const char* kind) const {
        return invalidInput(formatMessage("error.recipe-kind", {name, m_place, std::string(message(kind))}),
                            m_file);
    }

  private:
    static bool fits(const Json& json, const std::string&) { return json.is_string(); }
    static bool fits(const Json& json, bool) { return json.is_boolean(); }
    static bool fits(const Json& json, const std::vector<std::string>&) {
        return json.is_array() &&
               std::all_of(json.begin(), json.end(), [](const Json& e) { return e.is_string(); });
    }
    static bool fits(const Json& json, const PassOptions&) {
        return json.is_object() &&
               std::all_of(json.begin(), json.end(), [](const Json& e) { return e.is_string(); });
    }

    const Json& m_json;
    std::string m_file, m_place;
};

/// Line and column of the byte (counted from 1) at which a text stops to be JSON.
std::string damageText(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t start = before.rfind('\n') + 1; // npos + 1 is the beginning
    return formatMessage("error.recipe-json",
                         {std::to_string(line), std::to_string(before.size() - start + 1)});
}

/// The first name that stands twice in one object, of a text that is JSON; the library would take the last
/// value and say nothing.
class RepeatedName {
  public:
    /// For the parser: told of every beginning, end and name.
    bool operator()(int /*depth*/, Json::parse_event_t event, const Json& parsed) {
        if (event == Json::parse_event_t::object_start) m_open.emplace_back();
        if (event == Json::parse_event_t::object_end) m_open.pop_back();
        if (event != Json::parse_event_t::key || m_found) return true;
        const auto name = parsed.get<std::string>();
        if (!m_open.back().insert(name).second) {
            m_found = name;
            m_isAtTop = m_open.size() == 1;
        }
        return true;
    }
    [[nodiscard]] std::optional<Error> complaint(const std::string& where) const {
        if (!m_found) return std::nullopt;
        const char* place = m_isAtTop ? "error.recipe-top" : "error.recipe-a-step";
        return invalidInput(formatMessage("error.recipe-twice", {*m_found, std::string(message(place))}),
                            where);
    }

  private:
    std::vector<std::set<std::string>> m_open; ///< names of the objects that have begun and not ended
    std::optional<std::string> m_found;
    bool m_isAtTop = false;
};

Result<RecipeStep> readStep(const Json& json, const std::string& file, std::size_t index) {
    const std::string place = formatMessage("error.recipe-step", {std::to_string(index + 1)});
    if (!json.is_object()) {
        const std::string kind(message("error.recipe-objects"));
        return invalidInput(formatMessage("error.recipe-kind", {"steps", place, kind}), file);
    }
    const FieldReader reader(json, file, place);
    TRY(reader.refuseOthers(kStepFields));
    RecipeStep step;
    step.pass = TRY(reader.get("pass", std::string(), "error.recipe-text"));
    if (step.pass.empty()) return invalidInput(formatMessage("error.recipe-pass", {place}), file);
    step.isOn = TRY(reader.get("on", true, "error.recipe-flag"));
    step.options = TRY(reader.get("options", PassOptions(), "error.recipe-options"));
    const auto skipped = TRY(reader.get("skipped", std::vector<std::string>(), "error.recipe-texts"));
    step.skippedRewrites.insert(skipped.begin(), skipped.end());
    if (const auto at = json.find("rewrites"); at != json.end()) {
        if (!at->is_number_unsigned()) return reader.wrong("rewrites", "error.recipe-number");
        step.rewrites = at->get<std::uint64_t>();
    }
    return step;
}

Result<void> checkVersion(const Json& json, const std::string& file) {
    const auto at = json.find("secateur_recipe");
    if (at == json.end() || !at->is_number_integer()) {
        return invalidInput(std::string(message("error.no-recipe")), file);
    }
    const auto version = at->get<std::int64_t>();
    if (version == kRecipeVersion) return {};
    const char* id = version > kRecipeVersion ? "error.recipe-newer" : "error.recipe-version";
    return invalidInput(formatMessage(id, {std::to_string(version), std::to_string(kRecipeVersion)}), file);
}

} // namespace

std::string recipeToJson(const Recipe& recipe) {
    Json json;
    json["secateur_recipe"] = kRecipeVersion;
    json["targets"] = recipe.targets;
    if (!recipe.pinnedTargets.empty()) json["pinned_targets"] = recipe.pinnedTargets;
    if (!recipe.weightsPath.empty()) json["weights"] = recipe.weightsPath;
    if (!recipe.weightsHash.empty()) json["weights_hash"] = recipe.weightsHash;
    json["for"] = recipe.isForOnnxRuntime ? "onnxruntime" : "onnx";
    json["steps"] = Json::array();
    for (const RecipeStep& step : recipe.steps) {
        Json one;
        one["pass"] = step.pass;
        if (!step.isOn) one["on"] = false;
        if (!step.options.empty()) one["options"] = step.options;
        if (!step.skippedRewrites.empty()) one["skipped"] = step.skippedRewrites;
        if (step.rewrites) one["rewrites"] = *step.rewrites;
        json["steps"].push_back(std::move(one));
    }
    // Names in a model need not be UTF-8: what is not is replaced, never thrown at.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Recipe> recipeFromJson(std::string_view text, std::string where) {
    Json json;
    RepeatedName repeated;
    try {
        json = Json::parse(text, std::ref(repeated));
    } catch (const Json::parse_error& failed) {
        return invalidInput(damageText(text, failed.byte), std::move(where));
    } catch (const Json::exception&) {
        return invalidInput(std::string(message("error.recipe-unreadable")), std::move(where));
    }
    if (!json.is_object()) return invalidInput(std::string(message("error.no-recipe")), std::move(where));
    if (const auto twice = repeated.complaint(where)) return *twice;
    TRY(checkVersion(json, where));
    const FieldReader reader(json, where, std::string(message("error.recipe-top")));
    TRY(reader.refuseOthers(kRecipeFields));
    Recipe recipe;
    recipe.targets = TRY(reader.get("targets", std::vector<std::string>(), "error.recipe-texts"));
    recipe.pinnedTargets =
        TRY(reader.get("pinned_targets", std::vector<std::string>(), "error.recipe-texts"));
    recipe.weightsPath = TRY(reader.get("weights", std::string(), "error.recipe-text"));
    recipe.weightsHash = TRY(reader.get("weights_hash", std::string(), "error.recipe-text"));
    const std::string runtime = TRY(reader.get("for", std::string("onnx"), "error.recipe-text"));
    if (runtime != "onnx" && runtime != "onnxruntime") return reader.wrong("for", "error.recipe-runtime");
    recipe.isForOnnxRuntime = runtime == "onnxruntime";
    const auto steps = json.find("steps");
    if (steps == json.end() || !steps->is_array()) return reader.wrong("steps", "error.recipe-list");
    if (steps->empty()) return invalidInput(std::string(message("error.recipe-empty")), where);
    for (std::size_t i = 0; i < steps->size(); ++i)
        recipe.steps.push_back(TRY(readStep((*steps)[i], where, i)));
    TRY(checkRecipe(recipe, where));
    return recipe;
}

} // namespace secateur
