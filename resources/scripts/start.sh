#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a bare Debian or Ubuntu to the window in one command.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=resources/scripts/common.sh
. "$ROOT/resources/scripts/common.sh"

SAMPLE="$ROOT/resources/samples/mlp_gelu.training.onnx"
LOG="$BUILD/start.log"
# Measured on a bare Debian 12: what the packages and the build folder take, and one core's minutes of compiling.
PACKAGES_MIB=1500
BUILD_MIB=600
COMPILE_CORE_MINUTES=38

usage() {
    cat <<END
start.sh [--skip-packages] [MODEL]

Installs what is missing (Debian and Ubuntu), builds Secateur in build/ and opens its window on MODEL, an .onnx
file, or on the sample. Without a display it prunes the model instead and leaves a report with pictures in
build/first-run/. Interrupt it at any time: the next start goes on where this one stopped.

  --skip-packages   install nothing; you have seen to what packages.txt beside this script lists
Exit codes: 0 done; 2 wrong usage; 3 the model cannot be read; 4 something needed is missing.
END
}

# Finds nothing wrong with the model's path, or ends: before anything is installed.
check_model() {
    local model=$1
    if [ ! -e "$model" ]; then fail 3 "$model: no such file; check the path and its spelling"; fi
    if [ -d "$model" ]; then fail 3 "$model: is a directory; name the .onnx file inside it"; fi
    if [ ! -f "$model" ]; then fail 3 "$model: is not an ordinary file; copy it to one first"; fi
    if [ ! -r "$model" ]; then fail 3 "$model: may not be read by this user; change its permissions or copy it"; fi
    if [ ! -s "$model" ]; then fail 3 "$model: is empty"; fi
}

# What people on other systems have to see to themselves.
refuse_other_systems() {
    say "This is not Debian or Ubuntu, so nothing is installed here. Secateur needs:"
    list_requirements
    fail $EXIT_MISSING "Install them with your system's tools, then run: $0 --skip-packages"
}

# need_space FOLDER MIB WHAT
need_space() {
    local free
    free=$(free_mib "$1")
    [ "$free" -ge "$2" ] ||
        fail $EXIT_MISSING "$3 needs about $2 MiB, and $1 has $free MiB free. Free some space, then start again."
}

# The end of what this run has logged.
last_lines() { awk '/^=== / { first = NR } { line[NR] = $0 } END { for (i = first; i <= NR; i++) print line[i] }' "$LOG" | tail -n 25; }

# logged EXIT_CODE WORDS COMMAND...: runs it, output to the log, a sign of life on the terminal; its failure ends
# this script with EXIT_CODE.
logged() {
    local exit_code=$1 words=$2 begun=$SECONDS pid code=0
    shift 2
    printf -- '--- %s\n' "$*" >>"$LOG"
    "$@" >>"$LOG" 2>&1 </dev/null &
    pid=$!
    trap 'kill "$pid" 2>/dev/null || true; printf "\nStopped. Start again to go on.\n"; exit 130' INT TERM
    while kill -0 "$pid" 2>/dev/null; do
        if [ -t 1 ]; then
            printf '\r      %4d s  %-80.80s' "$((SECONDS - begun))" "$(tail -n 1 "$LOG" | tr -d '\r' | cut -c1-80)"
        fi
        sleep 0.2
    done
    wait "$pid" || code=$?
    trap - INT TERM
    [ -t 1 ] && printf '\r%100s\r' ''
    if [ "$code" -ne 0 ]; then
        last_lines >&2
        fail "$exit_code" "$words failed ($code); the last lines are above, all of it is in $LOG. Start again to go on from here."
    fi
    say "      done in $((SECONDS - begun)) s"
}

packages_phase() {
    local missing count
    if [ "$skip_packages" = yes ]; then
        say "[1/4] Packages: left to you"
        return
    fi
    missing=$(missing_packages)
    if [ -z "$missing" ]; then
        say "[1/4] Packages: all there"
        return
    fi
    count=$(printf '%s\n' "$missing" | wc -l)
    say "[1/4] Packages: $count are missing; with what they need about 3 minutes, $PACKAGES_MIB MiB"
    # Asked here and not in the background: sudo may want a password.
    root_words >/dev/null || install_packages
    need_space /usr "$PACKAGES_MIB" "Installing the packages"
    logged $EXIT_MISSING "Installing packages" install_packages
}

configure_phase() {
    if [ -f "$BUILD/build.ninja" ]; then
        say "[2/4] Configuration: there"
        return
    fi
    say "[2/4] Configuration and the C++ sources of ONNX (9 MB, through pip, kept in build/): about 1 minute"
    logged $EXIT_MISSING "Configuring" cmake -G Ninja -S "$ROOT" -B "$BUILD"
}

compile_phase() {
    local jobs plan
    jobs=$(build_jobs)
    plan=$(ninja -C "$BUILD" -n secateur secateur-cli 2>/dev/null || true)
    case $plan in
    *"no work to do"*)
        say "[3/4] Programs: built"
        return
        ;;
    esac
    say "[3/4] Compiling on $jobs cores: about $(((COMPILE_CORE_MINUTES + jobs - 1) / jobs)) minutes from nothing, $BUILD_MIB MiB"
    # Ninja itself, not through CMake: stopped, it stops its compilers.
    logged 1 "Compiling" ninja -C "$BUILD" -j "$jobs" secateur secateur-cli
}

has_display() { [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; }

# Opens the window and stays with it. Fails only when no display could be opened.
open_window() {
    local begun=$SECONDS code=0
    say "[4/4] The window opens on $model"
    "$BUILD/bin/secateur" "$model" || code=$?
    # Qt aborts when it cannot reach the display that the environment names.
    if [ "$code" = 134 ] && [ $((SECONDS - begun)) -lt 10 ]; then
        say "      the display ${DISPLAY:-${WAYLAND_DISPLAY:-}} cannot be opened"
        return 1
    fi
    exit "$code"
}

# Without a display: the same work on the command line, and what it shows as files.
do_without_window() {
    local out="$BUILD/first-run" cli="$BUILD/bin/secateur-cli"
    say "[4/4] No display: pruning $model and writing report and pictures, some seconds"
    mkdir -p "$out"
    "$ROOT/resources/scripts/first_run.sh" "$BUILD/bin" "$model" "$out" >>"$LOG" 2>&1 </dev/null || {
        local code=$?
        last_lines >&2
        fail "$code" "The model could not be pruned; the last lines are above, all of it is in $LOG."
    }
    say "      look at $out/index.html (report, pictures of the window, the pruned model)"
    say "      on the command line go on with $cli --help"
}

model=
skip_packages=no
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) usage && exit 0 ;;
    --skip-packages) skip_packages=yes ;;
    -*) usage >&2 && fail 2 "unknown option $1" ;;
    *)
        [ -z "$model" ] || fail 2 "one model at a time: $model, $1"
        model=$1
        ;;
    esac
    shift
done
model=${model:-$SAMPLE}
check_model "$model"
model=$(realpath "$model")
[ "$skip_packages" = yes ] || is_debian_like || refuse_other_systems

mkdir -p "$BUILD"
exec 9>"$BUILD/start.lock"
flock -n 9 || fail $EXIT_MISSING "Another start.sh is at work in $BUILD; wait for it."
say "Secateur. Log: $LOG"
printf '\n=== %s %s\n' "$(date '+%F %T')" "$model" >>"$LOG"
[ -x "$BUILD/bin/secateur" ] || need_space "$BUILD" "$BUILD_MIB" "Building"

packages_phase
configure_phase
compile_phase
cuda_line
# Nothing that runs for as long as the window is open may keep the lock.
exec 9>&-
ensure_runtime_dir
if has_display && open_window; then exit 0; fi
do_without_window
