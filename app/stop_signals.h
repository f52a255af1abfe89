// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace secateur {

/// From now on Ctrl+C in its terminal, a supervisor's stop and a closed terminal end the window as Quit does:
/// work is cancelled, child processes end, temporary files go. The program exits with 128 + the number of the
/// signal. Where it does not come to that within three seconds it ends at once. Call after QApplication is
/// made.
void endOnStopSignals();

} // namespace secateur
