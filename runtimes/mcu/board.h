// What an application may ask of its board. The MCU family gives
// the first half, the architecture (or posix/) the second.
#pragma once

#include <stdint.h>

namespace opsmith::board {

// Given by the MCU family (or by the board's own folder).

// Clocks, flash wait states, console. Call it first in main(). Every wait for hardware is bounded.
void init();
// Whether init() has run. printf() asks, and starts the board where it has not.
bool started();
// Sends bytes over the console and returns when the last one is in the transmitter.
void write(const char* text, uint32_t bytes);
// The next byte from the console, or -1 when there is none yet.
int read();
// Sleeps until read() may have a byte; may return early. An emulator gives its host the time.
void wait();
// What cycles() counts per second.
uint32_t clock_hz();
// The LED and the button that board.toml names; without one there is no such function to link.
void led(bool on);
bool button();

// Given by the architecture, and by posix/.

// A free-running counter that wraps at 32 bits: CPU cycles; nanoseconds on the host.
uint32_t cycles();
// Text for whoever watches without a console: semihosting; stdout on the host. Nothing without a
// debugger.
void debug_write(const char* text);
// Bytes reserved for the stack, and the most that were ever in use. Both 0 on the host.
uint32_t stack_size();
uint32_t stack_used();
// Ends the program where something can end it (semihosting, host), else halts.
[[noreturn]] void exit(int status);

}  // namespace opsmith::board
