#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes core/layout/font_advances.inc: how wide each character of the window's fonts is.

Layout runs without Qt and must still know how wide a label is, so the advance widths of the bundled fonts
are compiled in. Reads the TrueType tables head, hhea, hmtx and cmap itself; needs nothing but Python.

    make_font_advances.py [--check] [FONT_FOLDER]

--check compares with the stored file and changes nothing: exit 1 when they differ, 77 (skipped) when the
fonts are absent or of another revision than the stored file names.
"""
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / "core" / "layout" / "font_advances.inc"
FOLDER = "/usr/share/fonts/truetype/noto"
FACES = [("SansRegular", "NotoSans-Regular.ttf"), ("SansBold", "NotoSans-Bold.ttf"),
         ("MonoRegular", "NotoSansMono-Regular.ttf"), ("MonoBold", "NotoSansMono-Bold.ttf")]
# Latin with its extensions; Greek and Cyrillic; dashes, quotes, the ellipsis.
RANGES = [(0x20, 0x24F), (0x370, 0x4FF), (0x2010, 0x2044)]
MISSING = 0xFFFF


class Font:
    def __init__(self, path):
        self.data = path.read_bytes()
        count = struct.unpack_from(">H", self.data, 4)[0]
        self.tables = {}
        for i in range(count):
            tag, _, offset, _ = struct.unpack_from(">4sIII", self.data, 12 + 16 * i)
            self.tables[tag.decode("latin-1")] = offset
        head, hhea = self.tables["head"], self.tables["hhea"]
        self.revision = struct.unpack_from(">I", self.data, head + 4)[0] / 65536
        self.units = struct.unpack_from(">H", self.data, head + 18)[0]
        self.ascent, self.descent = struct.unpack_from(">hh", self.data, hhea + 4)
        self.metrics = struct.unpack_from(">H", self.data, hhea + 34)[0]
        self.glyphs = self.read_cmap()

    def read_cmap(self):
        base = self.tables["cmap"]
        for i in range(struct.unpack_from(">H", self.data, base + 2)[0]):
            platform, encoding, offset = struct.unpack_from(">HHI", self.data, base + 4 + 8 * i)
            if (platform, encoding) in ((3, 1), (0, 3), (0, 4)) and \
                    struct.unpack_from(">H", self.data, base + offset)[0] == 4:
                return self.read_segments(base + offset)
        sys.exit("no Unicode character map of format 4")

    def read_segments(self, at):
        """A cmap subtable of format 4: segments of code points, mapped by an offset or through an array."""
        segments = struct.unpack_from(">H", self.data, at + 6)[0] // 2
        ends, starts = at + 14, at + 16 + 2 * segments
        deltas, offsets = starts + 2 * segments, starts + 4 * segments
        glyphs = {}
        for s in range(segments):
            end, start, delta, offset = (struct.unpack_from(">H", self.data, place + 2 * s)[0]
                                         for place in (ends, starts, deltas, offsets))
            for code in range(start, min(end, 0xFFFE) + 1):
                glyph = code
                if offset:
                    glyph = struct.unpack_from(">H", self.data, offsets + 2 * s + offset + 2 * (code - start))[0]
                    if glyph == 0:
                        continue
                glyphs[code] = (glyph + delta) & 0xFFFF
        return glyphs

    def advance(self, code):
        """In 1/1000 em, or None where the font has no such character."""
        glyph = self.glyphs.get(code)
        if not glyph:
            return None
        row = min(glyph, self.metrics - 1)
        return self.per_mille(struct.unpack_from(">H", self.data, self.tables["hmtx"] + 4 * row)[0])

    def per_mille(self, units):
        return round(units * 1000 / self.units)


def text_of(fonts):
    revisions = ", ".join(f"{file} {font.revision:.3f}" for (_, file), font in zip(FACES, fonts))
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             "// Written by resources/scripts/make_font_advances.py from:",
             f"// {revisions}",
             "// Advance widths in 1/1000 em; 65535 where the font has no such character.",
             "// clang-format off", ""]
    for (name, _), font in zip(FACES, fonts):
        ascent, descent = font.per_mille(font.ascent), font.per_mille(-font.descent)
        lines.append(f"constexpr std::uint16_t k{name}Ascent = {ascent}, k{name}Descent = {descent};")
    for (name, _), font in zip(FACES, fonts):
        for first, last in RANGES:
            widths = [font.advance(code) for code in range(first, last + 1)]
            numbers = [str(MISSING if width is None else width) for width in widths]
            lines += ["", f"constexpr std::uint16_t k{name}_{first:04X}[] = {{"]
            lines += ["    " + ", ".join(numbers[i:i + 20]) + "," for i in range(0, len(numbers), 20)]
            lines.append("};")
    return "\n".join(lines) + "\n"


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    folders = [a for a in arguments if a != "--check"]
    folder = pathlib.Path(folders[0] if folders else FOLDER)
    absent = [file for _, file in FACES if not (folder / file).is_file()]
    if absent:
        print(f"{folder} has no {', '.join(absent)} (packages fonts-noto-core, fonts-noto-mono)")
        sys.exit(77 if check else 1)
    text = text_of([Font(folder / file) for _, file in FACES])
    if not check:
        TARGET.write_text(text)
        return
    stored = TARGET.read_text()
    if stored.splitlines()[2] != text.splitlines()[2]:
        print(f"other font revisions here: {text.splitlines()[2][3:]}")
        sys.exit(77)
    if stored != text:
        sys.exit(f"{TARGET} is not what these fonts give; run make_font_advances.py")


main()
