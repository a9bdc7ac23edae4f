// app=mlperf: a device under test of MLPerf Tiny, as its runner and EEMBC's talk to it: commands
// that end in '%', answers that end in m-ready. Of the models with whole inputs: kws01, ic01, vww01
// and ad01, which the size of their input tells.

#include <stdint.h>

#include "model.h"
#include "runtimes/apps/decimal.h"
#include "runtimes/mcu/board.h"

namespace model = OPSMITH_MODEL;

namespace {

constexpr const auto& x = model::first_input;
constexpr const auto& y = model::first_output;
constexpr uint32_t kInputs = x.size(), kOutputs = y.size();
constexpr bool kAnomaly = kInputs == 640 && kOutputs == kInputs;
constexpr bool kImage = kInputs == 32 * 32 * 3 || kInputs == 96 * 96 * 3;
constexpr const char* kModel = kAnomaly                 ? "ad01"
                               : kInputs == 49 * 10     ? "kws01"
                               : kInputs == 32 * 32 * 3 ? "ic01"
                               : kInputs == 96 * 96 * 3 ? "vww01"
                                                        : nullptr;
static_assert(kModel, "app=mlperf runs the models of MLPerf Tiny that take whole inputs");

// What `db` sends: features as the model has them, pixels, or floats.
constexpr uint32_t kLoaded = kAnomaly ? kInputs * sizeof(float) : kInputs * sizeof(x[0]);
alignas(float) uint8_t loaded[kLoaded];
uint32_t expected = 0, arrived = 0;

void put(const char* text) {
  uint32_t length = 0;
  while (text[length]) ++length;
  opsmith::board::write(text, length);
}

void put(uint32_t value) {
  char digits[11];
  put(opsmith::decimal(value, digits));
}

void put_hex(uint8_t byte) {
  const char digits[] = "0123456789abcdef";
  const char both[] = {digits[byte >> 4], digits[byte & 15], 0};
  put(both);
}

// With three decimals, rounded.
void put(float value) {
  if (value < 0) {
    put("-");
    value = -value;
  }
  const uint32_t thousandths = static_cast<uint32_t>(value * 1000.0f + 0.5f);
  put(thousandths / 1000);
  const char decimals[] = {'.', static_cast<char>('0' + thousandths / 100 % 10),
                           static_cast<char>('0' + thousandths / 10 % 10),
                           static_cast<char>('0' + thousandths % 10), 0};
  put(decimals);
}

uint32_t last = 0;   // what the counter said
uint64_t total = 0;  // of what it has counted

// Microseconds since the start. The counter wraps, so this is called after each inference. An
// emulator's may step back for as long as its timer's interrupt is late.
uint64_t now() {
  const uint32_t at = opsmith::board::cycles();
  if (static_cast<int32_t>(at - last) > 0) {
    total += at - last;
    last = at;
  }
  return total * 1000000 / opsmith::board::clock_hz();
}

void timestamp() {
  put("m-lap-us-");
  put(static_cast<uint32_t>(now()));
  put("\r\n");
}

// An element of a tensor, from and to its real value, where it is quantised and where it is not.
template <class T>
auto real(const T& tensor, uint32_t i, int) -> decltype(tensor.dequantize(tensor[i])) {
  return tensor.dequantize(tensor[i]);
}
template <class T>
float real(const T& tensor, uint32_t i, long) {
  return static_cast<float>(tensor[i]);
}
template <class T>
auto element(const T& tensor, float value, int) -> decltype(tensor.quantize(value)) {
  return tensor.quantize(value);
}
template <class T>
float element(const T&, float value, long) {
  return value;
}

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
  } else if (same(name, "infer")) {
    infer(words);
  } else if (same(name, "results")) {
    results();
  } else {
    put("e-[Unknown command: ");
    put(name);
    put("]\r\n");
  }
  put("m-ready\r\n");
}

constexpr uint32_t kLongest = 80;  // bytes of a command
char command[kLongest + 1];

}  // namespace

int main() {
  opsmith::board::init();
  last = opsmith::board::cycles();
  put("m-timestamp-mode-performance\r\n");
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
