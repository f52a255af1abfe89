// SPDX-License-Identifier: Apache-2.0
#include "app/stop_signals.h"

#include <QApplication>
#include <QSocketNotifier>

#include <array>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace secateur {
namespace {

/// A handler may do little more than write to a pipe; the event loop reads at its other end.
std::array<int, 2> g_pipe{-1, -1};

void onStop(int signal) {
    constexpr unsigned kPatienceSeconds = 3;
    const char byte = static_cast<char>(signal);
    if (::write(g_pipe[1], &byte, 1) != 1) _exit(128 + signal);
    ::alarm(kPatienceSeconds); // whose signal ends the program when it does not end by itself
}

} // namespace

void endOnStopSignals() {
    if (::pipe2(g_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return; // signals do what they always did
    auto* notifier = new QSocketNotifier(g_pipe[0], QSocketNotifier::Read, qApp);
    QObject::connect(notifier, &QSocketNotifier::activated, qApp, [] {
        char signal = 0;
        if (::read(g_pipe[0], &signal, 1) == 1) QApplication::exit(128 + signal);
    });
    struct sigaction action = {};
    action.sa_handler = onStop;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART); // the second one ends it the hard way
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before = {};
        sigaction(signal, nullptr, &before);
        // Who ignores a signal, such as nohup, goes on to do so.
        if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
}

} // namespace secateur
