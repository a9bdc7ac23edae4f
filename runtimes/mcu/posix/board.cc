// The host as a board: the console is stdin and stdout, a cycle is a nanosecond.

#include "runtimes/mcu/board.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

namespace opsmith::board {
namespace {

unsigned char received[4096];
uint32_t next = 0, end = 0;

}  // namespace

void init() { setvbuf(stdout, nullptr, _IOLBF, BUFSIZ); }  // printf() line by line, as elsewhere

bool started() { return true; }  // the C library has started stdout

void write(const char* text, uint32_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = ::write(STDOUT_FILENO, text, bytes);
    if (sent <= 0) _exit(74);
    text += sent;
    bytes -= static_cast<uint32_t>(sent);
  }
}

int read() {
  if (next == end) {
    pollfd input = {STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, 0) <= 0) return -1;
    const ssize_t got = ::read(STDIN_FILENO, received, sizeof received);
    if (got <= 0) _exit(0);  // whoever talked to us is gone
    next = 0;
    end = static_cast<uint32_t>(got);
  }
  return received[next++];
}

void wait() {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  if (next == end) ::poll(&input, 1, -1);
}

uint32_t clock_hz() { return 1'000'000'000; }

uint32_t cycles() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint32_t>(now.tv_sec * 1'000'000'000ull + now.tv_nsec);
}

void debug_write(const char* text) { write(text, static_cast<uint32_t>(strlen(text))); }

uint32_t stack_size() { return 0; }

uint32_t stack_used() { return 0; }

void exit(int status) { _exit(status); }

}  // namespace opsmith::board
