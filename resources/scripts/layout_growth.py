#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws how the time of a layout grows with the nodes, from the JSON of bench_layout.

    build/bin/bench_layout --benchmark_filter='^(layout|layout/blocks|hierarchy)/[0-9]' \\
        --benchmark_repetitions=5 --benchmark_format=json > growth.json
    resources/scripts/layout_growth.py growth.json resources/pictures/layout-growth.svg

Medians of the processor time where the JSON has repetitions. Prints microseconds a node; exit 1 when a node
of the largest graph takes more than 1.5 times what it takes in graphs of up to a tenth of that size, at
their slowest. Needs nothing but Python.
"""
import json
import math
import sys

MOST = 1.5
SERIES = {"layout": ("one piece", "#1f6feb"), "layout/blocks": ("all blocks open", "#b35900"),
          "hierarchy": ("group tree", "#3d7a3d")}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 76, 150, 34, 52
UNITS = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}


def read(path):
    """Milliseconds by series and nodes."""
    with open(path, encoding="utf-8") as file:
        runs = json.load(file)["benchmarks"]
    times = {}
    medians = any(run.get("aggregate_name") == "median" for run in runs)
    for run in runs:
        if run.get("error_occurred") or (run.get("aggregate_name") == "median") != medians:
            continue
        series, _, nodes = run.get("run_name", run["name"]).rpartition("/")
        if series in SERIES and nodes.isdigit():
            times.setdefault(series, {})[int(nodes)] = run["cpu_time"] * UNITS[run["time_unit"]]
    return {series: sorted(times[series].items()) for series in SERIES if series in times}


def check(times):
    """Says what a node costs; whether all series are linear."""
    linear = True
    for series, points in times.items():
        each = [(nodes, 1000 * ms / nodes) for nodes, ms in points]
        print(f"{series:14}", "  ".join(f"{nodes:,}: {us:.2f} us" for nodes, us in each))
        largest, cost = each[-1]
        small = [us for nodes, us in each if nodes * 10 <= largest]
        if small and cost > MOST * max(small):
            print(f"{series}: {cost / max(small):.2f} times as much for a node of {largest:,}")
            linear = False
    return linear


def draw(times):
    """Both axes are logarithmic: what is linear runs along the grey diagonals."""
    points = [point for series in times.values() for point in series]
    low_x, high_x = (f(math.log10(nodes) for nodes, _ in points) for f in (min, max))
    low_y = math.floor(min(math.log10(ms) for _, ms in points))
    high_y = math.ceil(max(math.log10(ms) for _, ms in points))
    inner_w, inner_h = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def at(nodes, ms):
        return (LEFT + (math.log10(nodes) - low_x) / (high_x - low_x) * inner_w,
                TOP + (high_y - math.log10(ms)) / (high_y - low_y) * inner_h)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="Noto Sans, sans-serif" font-size="12">',
           "<title>Time of a layout over the nodes of the graph</title>",
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
           f'<clipPath id="c"><rect x="{LEFT}" y="{TOP}" width="{inner_w}" height="{inner_h}"/></clipPath>',
           '<g stroke="#d0d0d0" clip-path="url(#c)" stroke-dasharray="4 4">']
    for power in range(low_y - 6, high_y + 1):  # time = nodes * constant
        (x1, y1), (x2, y2) = at(10**low_x, 10**power), at(10**high_x, 10**(power + high_x - low_x))
        out.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')
    out.append('</g><g stroke="#e8e8e8">')
    labels = []
    for power in range(low_y, high_y + 1):
        y = at(10**low_x, 10**power)[1]
        out.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
        text = f"{10**power:g} ms" if power < 3 else f"{10**(power - 3):g} s"
        labels.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    for nodes in sorted({nodes for nodes, _ in points}):
        x = at(nodes, 10**low_y)[0]
        out.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}"/>')
        labels.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{nodes:,}</text>')
    out += ['</g><g fill="#333333">', *labels,
            f'<text x="{LEFT + inner_w / 2}" y="{HEIGHT - 12}" text-anchor="middle">nodes (both axes '
            "logarithmic; dashed: time in step with nodes)</text>",
            f'<text x="{LEFT}" y="20" font-weight="bold">Time of a layout, one thread</text></g>']
    ends = []
    for series, line in times.items():
        name, colour = SERIES[series]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in line))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for point in line:
            x, y = at(*point)
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
        ends.append([at(*line[-1])[1], f"{name}: {line[-1][1]:,.0f} ms", colour])
    ends.sort()
    for k, (y, text, colour) in enumerate(ends):
        y = max(y, ends[k - 1][0] + 15) if k else y
        ends[k][0] = y
        out.append(f'<text x="{WIDTH - RIGHT + 8}" y="{y + 4:.1f}" fill="{colour}" font-size="11">{text}</text>')
    return "\n".join(out) + "\n</svg>\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    times = read(sys.argv[1])
    if not times:
        sys.exit(f"{sys.argv[1]} holds no growth of a layout: run bench_layout as the head of this script says")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(draw(times))
    sys.exit(0 if check(times) else 1)


if __name__ == "__main__":
    main()
