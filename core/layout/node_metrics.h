// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The inner sizes of a node at 100 % zoom: measured by the layout, drawn by the picture, hit by the mouse.
namespace secateur::node_metrics {

constexpr double kMinWidth = 120;
constexpr double kMinTerminalWidth = 64;
constexpr double kMaxWidth = 320;
constexpr double kTitleHeight = 22;
constexpr double kRowHeight = 18;
constexpr double kBodyPadding = 4; ///< two above the rows and two below
constexpr double kRadius = 4;
constexpr double kRail = 6;
constexpr double kTextLeft = 12; ///< from the left edge: the rail and a gap
constexpr double kTextRight = 8;
constexpr double kChipRoom = 22; ///< for the letter chip at the title's right
constexpr double kLabelGap = 6;
constexpr double kTitlePx = 12;
constexpr double kRowPx = 11;
constexpr double kLabelPx = 10.5; ///< edge labels and tags
constexpr double kSmallestPx = 8; ///< no text on screen is smaller
constexpr double kRowZoom = 0.55; ///< rows are drawn from this zoom on
/// From this zoom on no text of a card is cut. Between the two texts lose their middle: cards wide enough
/// for them at the smaller zoom would push the picture below it.
constexpr double kWholeTextZoom = 0.7;

} // namespace secateur::node_metrics
