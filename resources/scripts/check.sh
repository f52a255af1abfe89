#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything and runs every test, from a bare Debian or Ubuntu on, in four phases that say how long they
# took. Ends with ctest's summary and its exit code. About 35 minutes on 2 cores from nothing.
#
#   check.sh [CTEST ARGUMENT...]      e.g. check.sh -L core
#
# SECATEUR_BUILD_DIR (default build) is where; CI=true makes warnings errors.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=resources/scripts/common.sh
. "$ROOT/resources/scripts/common.sh"

phase_begun=0
# phase NUMBER WORDS: what begins now.
phase() {
    phase_begun=$SECONDS
    say "[$1/4] $2"
}
phase_done() { say "      done in $((SECONDS - phase_begun)) s"; }

# A machine where nothing but the tests' own patience decides: no display, no colours, one language.
quiet_machine() {
    ensure_runtime_dir
    export LC_ALL=C.UTF-8 QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"
    unset CTEST_PARALLEL_LEVEL
}

# Tests at once: one a core, but none without half a GiB of free memory.
test_jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable:/ { print int($2 / 524288) }' /proc/meminfo)
    [ "${memory:-1}" -ge 1 ] || memory=1
    if [ "$memory" -lt "$cores" ]; then printf '%s' "$memory"; else printf '%s' "$cores"; fi
}

phase 1 "Packages"
if is_debian_like; then
    install_packages
else
    say "      not Debian or Ubuntu: nothing is installed. Needed are:"
    list_requirements
fi
cuda_line
phase_done

phase 2 "Configuration"
options=(-G Ninja)
[ "${CI:-}" = true ] && options+=(-DSECATEUR_WERROR=ON)
cmake -S "$ROOT" -B "$BUILD" "${options[@]}" </dev/null
phase_done

phase 3 "Compiling on $(build_jobs) cores"
cmake --build "$BUILD" -j "$(build_jobs)" </dev/null
phase_done

phase 4 "Tests, $(test_jobs) at once"
quiet_machine
ctest --test-dir "$BUILD" --output-on-failure --no-tests=error -j "$(test_jobs)" "$@" </dev/null
