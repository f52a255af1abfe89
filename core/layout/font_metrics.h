// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace secateur {

/// The fonts of the window and of pictures: Noto Sans for words, Noto Sans Mono for names and shapes.
enum class FontFace { SansRegular, SansBold, MonoRegular, MonoBold };

/// How wide a text is, without kerning, in the unit of `pixelSize` (the em). Characters the fonts lack get
/// the width of the usual substitute: one em for East Asian and emoji, none for combining marks.
double textWidth(std::string_view utf8, FontFace face, double pixelSize);

/// From the baseline up to the top, and down to the bottom, of a line of text.
double fontAscent(FontFace face, double pixelSize);
double fontDescent(FontFace face, double pixelSize);

/// The text, its middle replaced by one "…" where it is wider than `maxWidth`; both ends keep about half of
/// the room. Empty when not even "…" fits.
std::string elideMiddleToWidth(std::string_view utf8, FontFace face, double pixelSize, double maxWidth);

} // namespace secateur
