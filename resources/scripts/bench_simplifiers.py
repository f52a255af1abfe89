#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `secateur-cli optimize` beside the simplifiers of the Python world, in turn, and prints a table.

    bench_simplifiers.py [--rounds 5] [--cli CLI] [--json FILE] MODEL...

For each model, and each tool that this Python has (onnxsim, onnxslim, onnxoptimizer, onnxscript, and the offline
optimization of ONNX Runtime at level basic), it measures the whole process - start, load, simplify, save - and the
call alone, with the model loaded beforehand. Ours counts as `seconds.passes` of `optimize --json`. Medians over the
rounds; a tool that takes over 20 seconds runs once.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SIMPLIFIERS = {
    "onnxsim": ("import onnxsim", "o, _ = onnxsim.simplify(m)"),
    "onnxslim": ("import onnxslim", "o = onnxslim.slim(m)"),
    "onnxoptimizer": (
        "import onnxoptimizer; p = onnxoptimizer.get_fuse_and_elimination_passes()",
        "o = onnxoptimizer.optimize(m, p, fixed_point=True)",
    ),
    "onnxscript": ("import onnxscript.optimizer as s", "o = s.optimize(m)"),
}
SIMPLIFIER_PROGRAM = """
import sys, time, onnx
{prepare}
m = onnx.load(sys.argv[1])
start = time.perf_counter()
{call}
print("seconds", time.perf_counter() - start)
onnx.save(o, sys.argv[2])
"""
RUNTIME_PROGRAM = """
import sys, time, onnxruntime as r
options = r.SessionOptions()
options.log_severity_level = 4
options.graph_optimization_level = r.GraphOptimizationLevel.ORT_ENABLE_BASIC
options.optimized_model_filepath = sys.argv[2]
model = open(sys.argv[1], "rb").read()
start = time.perf_counter()
r.InferenceSession(model, options, providers=["CPUExecutionProvider"])
print("seconds", time.perf_counter() - start)
"""
SLOW_SECONDS = 20


def measure(command):
    """Whole seconds of one process, and what it printed; raises where it failed."""
    start = time.perf_counter()
    process = subprocess.run(command, capture_output=True, text=True, timeout=600)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise RuntimeError((process.stderr.strip().splitlines() or ["exit %d" % process.returncode])[-1])
    return seconds, process.stdout


def python_tool(program):
    def run(model, out):
        whole, text = measure([sys.executable, "-c", program, str(model), str(out)])
        call = [float(line.split()[1]) for line in text.splitlines() if line.startswith("seconds ")][-1]
        return whole, call

    return run


def our_tool(cli):
    def run(model, out):
        whole, text = measure([cli, "optimize", str(model), "-o", str(out), "--json"])
        return whole, json.loads(text)["seconds"]["passes"]

    return run


def installed(prepare):
    return subprocess.run([sys.executable, "-c", prepare], capture_output=True).returncode == 0


def tools(cli):
    found = {"secateur": our_tool(cli)}
    for name, (prepare, call) in SIMPLIFIERS.items():
        if installed(prepare):
            found[name] = python_tool(SIMPLIFIER_PROGRAM.format(prepare=prepare, call=call))
    if installed("import onnxruntime"):
        found["onnxruntime"] = python_tool(RUNTIME_PROGRAM)
    return found


def time_model(model, candidates, rounds, folder):
    """Medians of whole process and call for each tool, its rounds in turn with those of the others."""
    samples = {name: [] for name in candidates}
    failures = {}
    for _ in range(rounds):
        for name, run in candidates.items():
            if name in failures or (samples[name] and samples[name][0][0] > SLOW_SECONDS):
                continue
            try:
                samples[name].append(run(model, folder / f"{name}.onnx"))
            except Exception as error:  # a tool that fails is a row of the table
                failures[name] = str(error)[:200]
    rows = {}
    for name, values in samples.items():
        if name in failures:
            rows[name] = {"error": failures[name]}
        else:
            whole, call = zip(*values)
            rows[name] = {"whole": statistics.median(whole), "call": statistics.median(call), "rounds": len(values)}
    return rows


def print_table(results, names):
    print("| model | " + " | ".join(names) + " |")
    print("|---|" + "---:|" * len(names))
    for model, rows in results.items():
        cells = []
        for name in names:
            row = rows[name]
            cells.append("fails" if "error" in row else f"{row['whole'] * 1e3:.0f} / {row['call'] * 1e3:.0f}")
        print(f"| {model} | " + " | ".join(cells) + " |", flush=True)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cli", default=str(root / "build/bin/secateur-cli"))
    parser.add_argument("--json", help="also write all numbers there")
    parser.add_argument("models", nargs="+", metavar="MODEL", type=pathlib.Path)
    arguments = parser.parse_args()

    candidates = tools(arguments.cli)
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for model in arguments.models:
            label = model.parent.name if model.name == "model.onnx" else model.stem
            results[label] = time_model(model, candidates, arguments.rounds, pathlib.Path(folder))
            print(label, json.dumps(results[label]), file=sys.stderr, flush=True)
    print("milliseconds, whole process / the call alone; medians of", arguments.rounds)
    print_table(results, list(candidates))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
