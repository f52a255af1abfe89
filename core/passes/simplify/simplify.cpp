// SPDX-License-Identifier: Apache-2.0
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/passes/convert/conversion_passes.h"
#include "core/passes/simplify/rules.h"
#include "core/passes/simplify/simplify_passes.h"
#include "core/rewrite/rule_driver.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

namespace secateur {
namespace {

std::vector<std::string> listOf(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        if (end > at) parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

bool has(const std::vector<std::string>& list, std::string_view id) {
    for (const std::string& entry : list) {
        if (entry == id) return true;
    }
    return false;
}

Exactness levelOf(const std::string& name) {
    if (name == "approximate") return Exactness::approximate;
    return name == "value" ? Exactness::value : Exactness::exact;
}

class Simplify final : public Pass {
  public:
    [[nodiscard]] const PassInfo& info() const override {
        static const PassInfo kInfo = [] {
            PassInfo info = passInfo("simplify", Exactness::approximate,
                                     {{"level", {"exact", "value", "approximate"}, "exact", ""},
                                      {"rules", {}, "all", ""},
                                      {"skip", {}, "", ""},
                                      {"keep", {}, "", ""},
                                      {"size-limit", {}, "65536", ""}});
            info.isConversion = false;
            return info;
        }();
        return kInfo;
    }

    Result<void> run(PassContext& context) const override {
        const auto rules = TRY(chosenRules(context));
        RuleLimits limits;
        limits.bytesLeft = TRY(sizeLimit(context));
        const Exactness level = levelOf(context.option(info(), "level"));
        RuleDriver driver(context, rules, level, limits);
        TRY(keepNamed(context, driver));
        const bool shares = sharesSubexpressions(context);
        while (true) {
            driver.run();
            if (context.work().isCancelled()) return cancelled();
            if (driver.isExhausted()) return tooManyRewrites();
            const JournalMark mark = context.model().journal().mark();
            if (!shares || shareSubexpressions(context, driver.view(), level) == 0) break;
            driver.noteEdits(mark);
        }
        dropUnreadConstants(context, driver.view());
        driver.tellMisses();
        return {};
    }

  private:
    static constexpr std::string_view kSharing = "share-subexpressions";

    [[nodiscard]] bool sharesSubexpressions(PassContext& context) const {
        const std::string only = context.option(info(), "rules");
        if (has(listOf(context.option(info(), "skip")), kSharing)) return false;
        return only == "all" || has(listOf(only), kSharing);
    }

    static Result<void> checkRules(const std::vector<std::string>& ids) {
        for (const std::string& id : ids) {
            if (id != kSharing && findRule(id) == nullptr) return unknownRule(id);
        }
        return {};
    }

    Result<std::vector<const Rule*>> chosenRules(PassContext& context) const {
        const std::string only = context.option(info(), "rules");
        const auto skipped = listOf(context.option(info(), "skip"));
        const auto wanted = only == "all" ? std::vector<std::string>() : listOf(only);
        TRY(checkRules(wanted));
        TRY(checkRules(skipped));
        std::vector<const Rule*> rules;
        for (const Rule* rule : allRules()) {
            if (has(skipped, rule->id)) continue;
            if (only == "all" || has(wanted, rule->id)) rules.push_back(rule);
        }
        return rules;
    }

    /// Values that a person named stay what they are.
    Result<void> keepNamed(PassContext& context, RuleDriver& driver) const {
        const std::string names = context.option(info(), "keep");
        for (std::size_t at = 0; at < names.size();) {
            const std::size_t end = std::min(names.find('\n', at), names.size());
            const std::string name = names.substr(at, end - at);
            at = end + 1;
            const ValueId value = context.model().findValue(name);
            if (value.isNone()) return usageError(formatMessage("error.unknown-kept", {printable(name)}));
            driver.view().hold(value);
        }
        return {};
    }

    Result<std::uint64_t> sizeLimit(PassContext& context) const {
        const std::string text = context.option(info(), "size-limit");
        std::uint64_t bytes = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
        if (error != std::errc() || end != text.data() + text.size())
            return usageError(formatMessage("error.size-limit", {printable(text)}));
        return bytes;
    }

    /// Initializers that nobody reads. Those that are inputs, too, stay inputs.
    static void dropUnreadConstants(PassContext& context, const RuleView& view) {
        const Model& model = context.model();
        std::vector<ValueId> unread;
        for (const GraphId graph : allGraphs(model)) {
            for (const auto* list :
                 {&model.graph(graph).initializers, &model.graph(graph).sparseInitializers}) {
                for (const ValueId value : *list) {
                    const bool isPlain = model.isAlive(value) && model.producer(value).isNone();
                    if (isPlain && !model.hasUses(value) && !view.isHeldByName(value))
                        unread.push_back(value);
                }
            }
        }
        if (unread.empty()) return;
        RewriteRecord request;
        request.rule = "remove-unused";
        request.erasedValues = {unread.front()};
        request.reason = Reason("rule.remove-unused.why-initializer",
                                {static_cast<std::int64_t>(unread.size()), unread.front()});
        context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
            for (const ValueId value : unread)
                editor.eraseValue(value);
            return kDone;
        });
    }

    static Error unknownRule(const std::string& id) {
        std::vector<std::string> ids{std::string(kSharing)};
        for (const Rule* rule : allRules())
            ids.emplace_back(rule->id);
        return usageError(
            formatMessage("error.unknown-rule", {printable(id), quotedList(nearestNames(id, ids))}));
    }
    static Error tooManyRewrites() {
        return Error{ErrorCode::verification, std::string(message("error.rewrites-without-end")), {}};
    }
};

} // namespace

const Pass& simplifyPass() {
    static const Simplify pass;
    return pass;
}

} // namespace secateur
