// app=mlperf: a device under test of MLPerf Tiny, as its runner and EEMBC's talk to it: commands
// that end in '%', answers that end in m-ready. The size of its input tells which model it has.

// Results have the same digits on cores that could round once for a product and a sum.
#pragma GCC optimize("fp-contract=off")

#include <stdint.h>

#include "answers.h"
#include "streaming.h"
#include "tensors.h"

namespace mlperf {
namespace {

// What `db` sends: features as the model has them, pixels, floats, or sound.
constexpr uint32_t kLoaded = kStreaming ? kStride * sizeof(int16_t)
                             : kAnomaly ? kInputs * sizeof(float)
                                        : kInputs * sizeof(x[0]);
alignas(float) uint8_t loaded[kLoaded];
uint32_t expected = 0, arrived = 0;

float loaded_float(uint32_t i) {
  float value;
  __builtin_memcpy(&value, loaded + i * sizeof value, sizeof value);
  return value;
}

// Fills the input. An inference may overwrite it, so that each begins with this.
void load_input() {
  if (kAnomaly) {
    for (uint32_t i = 0; i < kInputs; ++i) x[i] = element(x, loaded_float(i), 0);
    return;
  }
  uint8_t* data = reinterpret_cast<uint8_t*>(x.begin());
  const uint8_t flip = kImage && sizeof(x[0]) == 1 ? 0x80 : 0;  // pixels are 128 more
  for (uint32_t i = 0; i < kLoaded; ++i) data[i] = loaded[i] ^ flip;
}

void infer_once() {
  load_input();
  model::invoke();
  now();
}

// Probabilities, or how far the output is from the input.
void results() {
  put("m-results-[");
  if (kAnomaly) {
    float sum = 0;
    for (uint32_t i = 0; i < kInputs; ++i) {
      const float difference = real(y, i, 0) - loaded_float(i);
      sum += difference * difference;
    }
    put(sum / kInputs);
  }
  for (uint32_t i = 0; !kAnomaly && i < kOutputs; ++i) {
    if (i) put(",");
    put(real(y, i, 0));
  }
  put("]\r\n");
}

// The words of a command.
class Words {
 public:
  explicit Words(char* text) : at_(text) {}

  // The next word; empty at the end.
  const char* next() {
    while (*at_ == ' ') ++at_;
    char* word = at_;
    while (*at_ && *at_ != ' ') ++at_;
    if (*at_) *at_++ = 0;
    return word;
  }

 private:
  char* at_;
};

bool same(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

// A number; `missing` where there is none.
int32_t number(const char* word, int32_t missing) {
  if (*word < '0' || *word > '9') return *word ? -1 : missing;
  uint32_t value = 0;
  for (; *word >= '0' && *word <= '9' && value < 100000000; ++word)
    value = value * 10 + *word - '0';
  return static_cast<int32_t>(value);
}

void infer(Words words) {
  const int32_t count = number(words.next(), 1), warmups = number(words.next(), 10);
  if (count <= 0) return put("e-[Inference iterations must be >0]\r\n");
  if (warmups < 0) return put("e-[Inference warmup must be >=0]\r\n");
  put("m-warmup-start-");
  put(static_cast<uint32_t>(warmups));
  put("\r\n");
  for (int32_t i = 0; i < warmups; ++i) infer_once();
  put("m-warmup-done\r\nm-infer-start-");
  put(static_cast<uint32_t>(count));
  put("\r\n");
  timestamp();
  for (int32_t i = 0; i < count; ++i) infer_once();
  timestamp();
  put("m-infer-done\r\n");
  results();
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = static_cast<char>(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// db HH…: the next bytes of the input.
void take_bytes(const char* hex) {
  for (; *hex; hex += 2) {
    if (!hex[1]) return put("e-[Insufficent number of hex digits]\r\n");
    const int high = digit(hex[0]), low = digit(hex[1]);
    if (high < 0 || low < 0) return put("e-[Invalid hex digit]\r\n");
    if (arrived == expected) return put("e-[No bytes are expected]\r\n");
    loaded[arrived++] = static_cast<uint8_t>(high << 4 | low);
    if (arrived == expected) return put("m-load-done\r\n");
  }
}

void print_bytes() {
  for (uint32_t i = 0; i < arrived; ++i) {
    put(i % 8 ? "-" : "m-buffer-");
    put_hex(loaded[i]);
    if (i % 8 == 7 || i + 1 == arrived) put("\r\n");
  }
}

void buffer(Words words) {
  const char* what = words.next();
  if (!*what) return put("e-[Command 'db' requires a subcommand]\r\n");
  if (same(what, "print")) return print_bytes();
  if (!same(what, "load")) return take_bytes(what);
  const int32_t bytes = number(words.next(), 0);
  if (bytes <= 0) return put("e-[Command 'db load' must be >0 bytes]\r\n");
  if (bytes != static_cast<int32_t>(kLoaded)) {
    put("e-[Command 'db load' must be ");
    put(kLoaded);
    return put(" bytes]\r\n");
  }
  expected = kLoaded;
  arrived = 0;
  put("m-[Expecting ");
  put(kLoaded);
  put(" bytes]\r\n");
}

// Whether this was a command for the streaming wake word.
bool stream(const char* name) {
  if constexpr (kStreaming) {
    if (same(name, "start")) return streaming<kStreaming>.start(), true;
    if (same(name, "stop")) return streaming<kStreaming>.stop(), true;
    if (same(name, "extract_uart_stream")) return streaming<kStreaming>.take(loaded), true;
  }
  return false;
}

void obey(char* command) {
  Words words(command);
  const char* name = words.next();
  if (same(name, "name")) {
    put("m-name-dut-[opsmith]\r\n");
  } else if (same(name, "timestamp")) {
    timestamp();
  } else if (same(name, "profile")) {
    put("m-profile-[ULPMark for tinyML Firmware V0.0.1]\r\nm-model-[");
    put(kModel);
    put("]\r\n");
  } else if (same(name, "db")) {
    buffer(words);
  } else if (!kStreaming && same(name, "infer")) {
    infer(words);
  } else if (!kStreaming && same(name, "results")) {
    results();
  } else if (!stream(name)) {
    put("e-[Unknown command: ");
    put(name);
    put("]\r\n");
  }
  put("m-ready\r\n");
}

constexpr uint32_t kLongest = kStreaming ? 1028 : 80;  // bytes of a command
char command[kLongest + 1];

}  // namespace
}  // namespace mlperf

int main() {
  using namespace mlperf;
  opsmith::board::init();
  last = opsmith::board::cycles();
  if constexpr (kStreaming) streaming<kStreaming>.begin();
  put(kEnergy ? "m-timestamp-mode-energy\r\n" : "m-timestamp-mode-performance\r\n");
  timestamp();
  put("m-init-done\r\nm-ready\r\n");
  for (uint32_t length = 0;;) {
    const int byte = opsmith::board::read();
    if (byte < 0) {
      now();
      opsmith::board::wait();
    } else if (byte == '%') {
      command[length] = 0;
      length = 0;
      obey(command);
    } else if (length < kLongest && byte >= ' ') {
      command[length++] = static_cast<char>(byte);
    }
  }
}
