#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything and runs every test, from a bare Debian or Ubuntu on. Ends with ctest's summary and its
# exit code. About 25 minutes on 2 cores from nothing.
#
#   check.sh [CTEST ARGUMENT...]      e.g. check.sh -L core
#
# SECATEUR_BUILD_DIR (default build) is where; CI=true makes warnings errors.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=resources/scripts/common.sh
. "$ROOT/resources/scripts/common.sh"

if is_debian_like; then
    install_packages
else
    say "Not Debian or Ubuntu: nothing is installed. Needed are:"
    list_requirements
fi
cuda_line

options=(-G Ninja)
[ "${CI:-}" = true ] && options+=(-DSECATEUR_WERROR=ON)
cmake -S "$ROOT" -B "$BUILD" "${options[@]}" </dev/null
cmake --build "$BUILD" -j "$(build_jobs)" </dev/null

ensure_runtime_dir
ctest --test-dir "$BUILD" --output-on-failure --no-tests=error -j "$(nproc)" "$@" </dev/null
