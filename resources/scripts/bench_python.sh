#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times two whole processes on one model, five rounds each, in turn: a Python process that does onnx.load and
# onnx.save, and secateur-cli prune, which loads, analyses, converts and saves. Prints the medians, their ratio and
# the peak memory of each. Needs a python with the package onnx.
#
#   bench_python.sh MODEL [PYTHON] [CLI]
#
# A `checkpoint` beside the model is given as --weights.
set -euo pipefail

[ $# -ge 1 ] || { echo "usage: bench_python.sh MODEL [PYTHON] [CLI]" >&2; exit 2; }
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
exec "${2:-python3}" - "$1" "${3:-$root/build/bin/secateur-cli}" <<'PYTHON'
import os, pathlib, statistics, subprocess, sys, tempfile, time

model, cli = pathlib.Path(sys.argv[1]), sys.argv[2]
rounds = 5


def measure(command):
    """Seconds and peak KiB of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"failed: {' '.join(command)}")
    return seconds, usage.ru_maxrss


with tempfile.TemporaryDirectory() as folder:
    program = "import sys, onnx; onnx.save(onnx.load(sys.argv[1]), sys.argv[2])"
    python = [sys.executable, "-c", program, str(model), f"{folder}/python.onnx"]
    ours = [cli, "prune", str(model), "-o", f"{folder}/ours.onnx", "--quiet"]
    if (model.parent / "checkpoint").exists():
        ours += ["--weights", str(model.parent / "checkpoint")]
    times = {"python": [], "secateur": []}
    peaks = {"python": 0, "secateur": 0}
    for _ in range(rounds):
        for name, command in (("python", python), ("secateur", ours)):
            seconds, peak = measure(command)
            times[name].append(seconds)
            peaks[name] = max(peaks[name], peak)
    medians = {name: statistics.median(values) for name, values in times.items()}

size = model.stat().st_size / 2**20
print(f"{model}: {size:.1f} MiB, median of {rounds}")
print(f"  python onnx.load + onnx.save            {medians['python'] * 1000:7.0f} ms  peak {peaks['python'] / 1024:6.0f} MiB")
print(f"  secateur-cli prune (load, prune, save)  {medians['secateur'] * 1000:7.0f} ms  peak {peaks['secateur'] / 1024:6.0f} MiB")
print(f"  ratio {medians['python'] / medians['secateur']:.2f} (over 1: ours takes less)")
PYTHON
