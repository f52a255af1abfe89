#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What start.sh does where no window can open: prunes MODEL and leaves everything that the window would show.
#
#   first_run.sh BIN_FOLDER MODEL OUT_FOLDER
#
# OUT_FOLDER then holds model.inference.onnx, recipe.json, report.html, pictures of the graph and of the window,
# and index.html with all of them. Ends with the exit code of the step that failed.
set -euo pipefail

bin=$1 model=$2 out=$3
# The window renders into memory: the same pictures with or without a display.
export QT_QPA_PLATFORM=offscreen
# A name as text in HTML.
escaped() { printf '%s' "$1" | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/>/\&gt;/g' -e 's/"/\&quot;/g'; }

size_of() { du -h --apparent-size "$1" | cut -f1; }

# figure FILE WORDS: nothing where the file is not there.
figure() {
    [ -f "$out/$1" ] || return 0
    printf '<figure><a href="%s"><img src="%s" alt="%s"></a><figcaption>%s</figcaption></figure>\n' \
        "$1" "$1" "$2" "$2"
}

write_index() {
    local name
    name=$(escaped "$(basename "$model")")
    cat <<END
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Secateur: $name</title>
<style>
body { font: 15px/1.5 "Noto Sans", sans-serif; color: #1B1F24; background: #F6F7F9; max-width: 1100px; margin: 2em auto; padding: 0 1em; }
a { color: #0B57D0; }
figure { margin: 1.5em 0; }
img { max-width: 100%; border: 1px solid #7A8490; background: #FFFFFF; }
figcaption { color: #57606A; }
</style>
</head>
<body>
<h1>$name, cut down to inference</h1>
<ul>
<li><a href="report.html">The report</a>: what went, what stayed, and why</li>
<li><a href="model.inference.onnx">The inference model</a> ($(size_of "$out/model.inference.onnx"); it was $(size_of "$model"))</li>
<li><a href="recipe.json">The recipe</a>: replays the same steps with <code>secateur-cli apply</code></li>
</ul>
$(figure window-light.png "The window, light theme")
$(figure window-dark.png "The window, dark theme")
$(figure before.svg "The graph before")
$(figure after.svg "The graph after")
</body>
</html>
END
}

rm -f "$out"/{index.html,report.html,recipe.json,model.inference.onnx,before.svg,after.svg,window-light.png,window-dark.png}
"$bin/secateur-cli" prune "$model" -o "$out/model.inference.onnx" --recipe-out "$out/recipe.json"
"$bin/secateur-cli" report "$model" --recipe "$out/recipe.json" -o "$out/report.html"
"$bin/secateur-cli" export "$model" -o "$out/before.svg"
"$bin/secateur-cli" export "$model" --recipe "$out/recipe.json" -o "$out/after.svg"
for theme in light dark; do
    "$bin/secateur" --screenshot "$out/window-$theme.png" --theme "$theme" --size 1600x1000 "$model"
done
# Written last: an index that exists is complete.
write_index >"$out/index.html"
