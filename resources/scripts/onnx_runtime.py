# SPDX-License-Identifier: Apache-2.0
"""Runs a model with ONNX Runtime, without optimizations, for a process that cannot do it itself.

Standard input holds one JSON object: "model" (a path, or "" to be told the version only), "threads" (0: as many as
ONNX Runtime likes), "sets" (a list of objects from input names to .npy files), how many "warm_ups" and "runs" to make of
each, and "folder" for the results. Standard output gets one JSON object: "version", and for each set the "seconds" of its
runs and its "files" (.npy) in the order of outputs.
"""
import ctypes, json, os, signal, sys, time

# Whoever started this may be killed: it must not go on alone. PR_SET_PDEATHSIG is 1.
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
import numpy
import onnxruntime
job = json.load(sys.stdin)
answer = {"version": onnxruntime.__version__, "sets": []}
if job["model"]:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    if job["threads"]:
        options.intra_op_num_threads = job["threads"]
    session = onnxruntime.InferenceSession(job["model"], options, providers=["CPUExecutionProvider"])
    for number, given in enumerate(job["sets"]):
        feeds = {name: numpy.load(path) for name, path in given.items()}
        for _ in range(job["warm_ups"]):
            session.run(None, feeds)
        seconds = []
        for _ in range(job["runs"]):
            start = time.perf_counter()
            results = session.run(None, feeds)
            seconds.append(time.perf_counter() - start)
        files = []
        for position, result in enumerate(results):
            if isinstance(result, numpy.generic):  # a scalar of some types
                result = numpy.asarray(result)
            if isinstance(result, numpy.ndarray) and result.dtype.kind == "O" and all(isinstance(x, str) for x in result.flat):
                result = result.astype("U") if result.size else numpy.zeros(result.shape, "U1")
            if not isinstance(result, numpy.ndarray) or result.dtype.kind not in "biufcU":
                raise SystemExit("result %d is no array of numbers or text" % position)
            files.append(os.path.join(job["folder"], "set%d_output%d.npy" % (number, position)))
            numpy.save(files[-1], numpy.ascontiguousarray(result).reshape(result.shape))
        answer["sets"].append({"seconds": seconds, "files": files})
json.dump(answer, sys.stdout)
