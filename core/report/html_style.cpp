// SPDX-License-Identifier: Apache-2.0
#include "core/report/html_style.h"

#include "core/picture/theme.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace secateur {
namespace {

constexpr std::array<std::pair<const char*, ThemeRole>, 19> kVariables{{
    {"canvas", ThemeRole::canvas},
    {"card", ThemeRole::card},
    {"panel", ThemeRole::panel},
    {"text", ThemeRole::text},
    {"muted", ThemeRole::muted},
    {"outline", ThemeRole::outline},
    {"accent", ThemeRole::accent},
    {"warn", ThemeRole::warn},
    {"error", ThemeRole::error},
    {"ok", ThemeRole::ok},
    {"less", ThemeRole::less},
    {"more", ThemeRole::more},
    {"forward", ThemeRole::roleForward},
    {"loss", ThemeRole::roleLoss},
    {"backward", ThemeRole::roleBackward},
    {"accumulator", ThemeRole::roleAccumulator},
    {"optimizer", ThemeRole::roleOptimizer},
    {"recompute", ThemeRole::roleRecompute},
    {"metric", ThemeRole::roleMetric},
}};

std::string variables(ThemeKind theme) {
    std::string out;
    for (const auto& [name, role] : kVariables) {
        out += fmt::format("--{}:{};", name, toHex(themeColor(theme, {role, Shade::solid})));
        out += fmt::format("--on-{}:{};", name, toHex(themeColor(theme, {role, Shade::textOn})));
        out += fmt::format("--tint-{}:{};", name, toHex(themeColor(theme, {role, Shade::tint})));
    }
    return out;
}

constexpr const char* kRules = R"css(
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--canvas);color:var(--text);font:15px/1.5 "Noto Sans",system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1120px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:28px;line-height:1.2;margin:0;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:19px;margin:44px 0 14px;letter-spacing:-.005em}
h2#summary{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
h2 small{font-weight:400;color:var(--muted);font-size:14px;margin-left:8px}
p{margin:0 0 10px}
a{color:var(--accent)}
code,.mono{font-family:"Noto Sans Mono",ui-monospace,"DejaVu Sans Mono",Consolas,monospace;font-size:.87em;overflow-wrap:anywhere}
.num{font-variant-numeric:tabular-nums;text-align:right;white-space:nowrap}
.muted{color:var(--muted)}
header.top{display:flex;gap:16px;align-items:center;flex-wrap:wrap}
header.top .logo{width:46px;height:46px;flex:none;color:var(--accent)}
header.top .name{flex:1 1 320px;min-width:0}
.sub{color:var(--muted);margin:4px 0 0}
nav{margin:18px 0 0;display:flex;gap:6px 18px;flex-wrap:wrap;font-size:14px}
nav a{text-decoration:none}
nav a:hover{text-decoration:underline}
.pill{display:inline-block;border:1px solid var(--outline);border-radius:999px;padding:3px 12px;font-size:13px;white-space:nowrap}
.pill.good{border-color:var(--ok);color:var(--ok)}
.pill.bad{border-color:var(--error);color:var(--error);white-space:normal}
table.check th{font-weight:600;color:var(--muted);text-align:left;white-space:nowrap;vertical-align:top}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(215px,1fr));gap:14px;margin:26px 0 0}
.card{background:var(--card);border:1px solid color-mix(in srgb,var(--outline) 35%,transparent);border-radius:10px;padding:16px 18px}
.card h3{margin:0 0 6px;font-size:13px;font-weight:600;color:var(--muted)}
.card .was{color:var(--muted);font-size:15px;font-variant-numeric:tabular-nums}
.card .now{font-size:27px;font-weight:700;line-height:1.25;font-variant-numeric:tabular-nums;letter-spacing:-.01em}
.card .delta{font-weight:600;font-size:14px}
.less{color:var(--less)}.more{color:var(--more)}
.meter{height:6px;border-radius:3px;background:var(--panel);margin-top:10px;overflow:hidden}
.meter i{display:block;height:100%;background:var(--accent);border-radius:3px}
.bars{background:var(--card);border:1px solid color-mix(in srgb,var(--outline) 35%,transparent);border-radius:10px;padding:16px 18px}
.bar{display:grid;grid-template-columns:64px 1fr 76px;gap:12px;align-items:center;margin:6px 0}
.bar .track{display:flex;height:24px;gap:2px}
.bar .track i{display:block;min-width:3px;border-radius:3px}
.legend{display:flex;flex-wrap:wrap;gap:6px 20px;margin-top:12px;font-size:14px}
.chip{display:inline-flex;align-items:center;justify-content:center;min-width:20px;height:20px;padding:0 5px;border-radius:4px;font-size:12px;font-weight:700;margin-right:6px}
.class{border:1px solid var(--outline);color:var(--muted)}
.panes{display:grid;grid-template-columns:1fr 1fr;gap:16px;width:min(1760px,calc(100vw - 48px));margin-left:50%;transform:translateX(-50%);margin-top:10px}
input[name=zoom]{margin:0 6px 0 0;accent-color:var(--accent)}
input[name=zoom]+label{margin-right:20px;font-size:14px}
figure{margin:0;min-width:0}
figcaption{font-size:14px;color:var(--muted);margin-bottom:6px}
figcaption b{color:var(--text)}
.pane{height:min(72vh,760px);overflow:auto;border:1px solid color-mix(in srgb,var(--outline) 35%,transparent);border-radius:10px;background:var(--canvas);resize:vertical}
.pane img{display:block;margin:0 auto;max-width:none}
#zoom-whole:checked~.panes .pane{height:auto;resize:none;overflow:hidden}
#zoom-whole:checked~.panes img{max-width:100%;max-height:88vh;width:auto;height:auto}
ol.steps{list-style:none;margin:0;padding:0}
ol.steps>li{display:grid;grid-template-columns:40px 1fr;gap:0 12px;position:relative;padding-bottom:14px}
ol.steps>li:not(:last-child)::before{content:"";position:absolute;left:19px;top:38px;bottom:0;width:2px;background:color-mix(in srgb,var(--outline) 35%,transparent)}
.dot{width:38px;height:38px;border-radius:50%;border:2px solid var(--accent);display:flex;align-items:center;justify-content:center;font-weight:700;background:var(--card);font-variant-numeric:tabular-nums}
.idle .dot{border-color:color-mix(in srgb,var(--outline) 50%,transparent);color:var(--muted)}
.failed .dot{border-color:var(--error);color:var(--error)}
.step{background:var(--card);border:1px solid color-mix(in srgb,var(--outline) 35%,transparent);border-radius:10px;padding:12px 16px;min-width:0}
.idle .step{background:none}
.step .head{display:flex;gap:8px 12px;flex-wrap:wrap;align-items:baseline}
.step .head h3{font-size:16px;margin:0}
.step .head .gain{margin-left:auto;font-variant-numeric:tabular-nums;font-size:14px}
.step p{margin:2px 0 0;color:var(--muted);font-size:14px}
ul.why{margin:8px 0 0;padding:0;list-style:none;font-size:14px}
ul.why li{display:grid;grid-template-columns:62px 1fr;gap:10px;padding:3px 0}
ul.why .n{text-align:right;font-weight:700;font-variant-numeric:tabular-nums}
.note{border-left:4px solid var(--warn);background:var(--tint-warn);padding:8px 12px;border-radius:0 6px 6px 0;margin:8px 0 0;font-size:14px}
.note.error{border-color:var(--error);background:var(--tint-error)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px;background:var(--card);border-radius:10px;overflow:hidden}
th{font-size:12.5px;font-weight:600;text-align:left;color:var(--muted);background:var(--panel)}
th,td{padding:7px 12px;vertical-align:top;border-bottom:1px solid color-mix(in srgb,var(--outline) 22%,transparent)}
tr:last-child td{border-bottom:0}
td.path{color:var(--muted)}
table.removed{table-layout:fixed;min-width:760px}
table.removed th:nth-child(1){width:27%}
table.removed th:nth-child(3){width:31%}
td{overflow-wrap:anywhere}
details>p{padding:10px 16px;margin:0}
p.target{margin:0 0 6px}
details{margin:0 0 10px;border:1px solid color-mix(in srgb,var(--outline) 35%,transparent);border-radius:10px;background:var(--card);overflow:hidden}
summary{cursor:pointer;padding:11px 16px;font-weight:600}
summary:hover{background:var(--panel)}
summary:focus-visible,a:focus-visible,.pane:focus-visible{outline:2px solid var(--accent);outline-offset:-2px}
summary .muted{font-weight:400;margin-left:8px}
pre{margin:0;padding:14px 16px;overflow-x:auto;background:var(--panel);border-radius:10px;font-size:13px;line-height:1.45;white-space:pre-wrap;overflow-wrap:anywhere}
details pre{border-radius:0}
details+details,pre+details{margin-top:10px}
footer{margin-top:48px;color:var(--muted);font-size:13px}
@media (max-width:760px){.panes{grid-template-columns:1fr}main{padding:20px 14px 48px}.pane{height:420px}}
)css";

constexpr const char* kPrintRules = R"css(
@page{margin:14mm}
body{background:#fff;font-size:10.5pt}
main{max-width:none;padding:0}
.pane{resize:none}
nav{display:none}
table.removed{min-width:0}
.card,.step,.bars,details,table{break-inside:avoid;background:#fff}
details,table{break-inside:auto}
tr,li{break-inside:avoid}
thead{display:table-header-group}
input[name=zoom],input[name=zoom]+label{display:none}
.panes{width:auto;margin-left:0;transform:none}
#zoom-full:checked~.panes .pane,#zoom-whole:checked~.panes .pane{height:auto;overflow:visible;border:0}
#zoom-full:checked~.panes img,#zoom-whole:checked~.panes img{max-width:100%;max-height:200mm;width:auto;height:auto}
h2{break-after:avoid}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
)css";

} // namespace

std::string reportStyleSheet() {
    return fmt::format(
        ":root{{{}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}\n{}@media print{{{}}}\n",
        variables(ThemeKind::light), variables(ThemeKind::dark), kRules, kPrintRules);
}

} // namespace secateur
