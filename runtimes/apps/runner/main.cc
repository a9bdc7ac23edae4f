// The default application: takes inputs, runs the model and gives outputs back, line by line over
// the console. README.md has the protocol; toolchain/opsmith/rig/protocol.py is the other end.

#include <stdint.h>

#include "model.h"
#include "runtimes/apps/firmware.h"
#include "runtimes/apps/runner/line.h"
#include "runtimes/core/guards.h"
#include "runtimes/mcu/board.h"

namespace model = OPSMITH_MODEL;

namespace opsmith::runner {
namespace {

constexpr uint32_t kVersion = 2;
constexpr uint32_t kOutputs = model::output_count;
constexpr bool kHasFlash = sizeof(void*) == sizeof(uint32_t);  // processes are of 64 bits

uint32_t last_invoke = 0, last_cycles = 0;

#ifdef OPSMITH_ARENA
// A model without an arena of its own is passed this one.
alignas(model::arena_alignment) uint8_t arena[model::arena_bytes];
void start() { model::start(arena, sizeof arena); }
Buffer output_of(int index) { return model::output(arena, index); }
#else
void start() {}
Buffer output_of(int index) { return model::output(index); }
#endif

#ifdef OPSMITH_PUSH
// A model that streams has no memory for its whole input: each row is pushed once it is complete.
constexpr uint32_t kInputs = 1;
uint32_t received[1];  // bytes of the input since the last invoke
model::stream::Element row[model::stream::row_elements];
uint32_t row_bytes = 0;      // of it that arrived
uint32_t pushed_cycles = 0;  // of the rows since the last invoke
uint32_t input_bytes(uint32_t) { return model::stream::rows * sizeof row; }

// Takes the bytes of an input from this one on. Those that came before were pushed.
struct Arriving {
  uint32_t before;

  Arriving(uint32_t tensor, uint32_t offset) : before(received[tensor] - offset) {}

  void operator()(uint8_t byte) {
    if (before) {
      --before;
      return;
    }
    reinterpret_cast<uint8_t*>(row)[row_bytes++] = byte;
    if (row_bytes < sizeof row) return;
    row_bytes = 0;
    const uint32_t begin = board::cycles();
    model::OPSMITH_PUSH(row);
    pushed_cycles += board::cycles() - begin;
  }
};

void infer() {
  last_cycles = pushed_cycles;
  pushed_cycles = 0;
}

void forget_input() {
  model::reset();
  row_bytes = pushed_cycles = 0;
}
#else
#ifdef OPSMITH_ARENA
Buffer input_of(int index) { return model::input(arena, index); }
void invoke_model() { model::invoke(arena); }
#else
Buffer input_of(int index) { return model::input(index); }
void invoke_model() { model::invoke(); }
#endif

constexpr uint32_t kInputs = model::input_count;
uint32_t received[kInputs ? kInputs : 1];  // bytes of each input since the last invoke
uint32_t input_bytes(uint32_t index) { return input_of(static_cast<int>(index)).bytes; }

struct Arriving {
  uint8_t* data;

  Arriving(uint32_t tensor, uint32_t offset)
      : data(static_cast<uint8_t*>(input_of(static_cast<int>(tensor)).data) + offset) {}

  void operator()(uint8_t byte) { *data++ = byte; }
};

#ifdef OPSMITH_MARK
void mark(bool on) { board::led(on); }  // a meter sees the pin
#else
void mark(bool) {}
#endif

void infer() {
  mark(true);
  const uint32_t begin = board::cycles();
  invoke_model();
  last_cycles = board::cycles() - begin;
  mark(false);
}

void forget_input() {}
#endif

#ifdef OPSMITH_STEPWISE
constexpr bool kStepwise = true;  // model::invoke() runs one node a call
#else
constexpr bool kStepwise = false;
#endif

#ifdef OPSMITH_GUARDS
Overrun overrun() { return model::overrun(); }
#else
Overrun overrun() { return {}; }
#endif

void error(const char* what) { LineWriter("error").word(what).send(); }

void greet(uint32_t nonce) {
  LineWriter("opsmith")
      .number(kVersion)
      .number(nonce)
      .hex(firmware_digest(), sizeof opsmith_firmware)
      .hex(model::model_sha256, sizeof model::model_sha256)
      .number(kInputs)
      .number(kOutputs)
      .number(kPayload)
      .number(board::clock_hz())
      .send();
  for (uint32_t i = 0; i < kInputs; ++i) {
    LineWriter("input").number(i).number(input_bytes(i)).send();
  }
  for (uint32_t i = 0; i < kOutputs; ++i) {
    LineWriter("output").number(i).number(output_of(static_cast<int>(i)).bytes).send();
  }
  LineWriter("ready").number(nonce).send();
}

// write TENSOR OFFSET BASE64: in order, or what is there already once more.
void write_input(Words words) {
  uint32_t tensor, offset;
  if (!words.number(tensor) || !words.number(offset) || tensor >= kInputs) return error("argument");
  const int32_t bytes = decode_base64<Arriving>(words.rest(), nullptr);
  if (bytes == kNotBase64 || offset > received[tensor]) return error("argument");
  const uint32_t end = offset + static_cast<uint32_t>(bytes);
  if (end < offset || end > input_bytes(tensor)) return error("argument");
  Arriving arriving(tensor, offset);
  decode_base64(words.rest(), &arriving);
  if (end > received[tensor]) received[tensor] = end;
  LineWriter("ok").number(tensor).number(offset).send();
}

// fill TENSOR START MULTIPLIER INCREMENT: the bytes of a linear congruential generator.
void fill_input(Words words) {
  uint32_t tensor, x, multiplier, increment;
  const bool numbers = words.number(tensor) && words.number(x) && words.number(multiplier) &&
                       words.number(increment);
  if (!numbers || !words.at_end() || tensor >= kInputs) return error("argument");
  Arriving arriving(tensor, 0);
  const uint32_t bytes = input_bytes(tensor);
  for (uint32_t i = 0; i < bytes; ++i) {
    x = x * multiplier + increment;
    arriving(static_cast<uint8_t>(x >> 24));
  }
  received[tensor] = bytes;
  LineWriter("filled").number(tensor).send();
}

// invoke N: a repeated N is a repeated question, not a second run.
void invoke(Words words) {
  uint32_t number;
  if (!words.number(number) || !words.at_end()) return error("argument");
  if (number != last_invoke) {
    for (uint32_t i = 0; i < kInputs; ++i) {
      if (received[i] != input_bytes(i)) return error("input");
    }
    if (!kStepwise) {
      for (uint32_t& bytes : received) bytes = 0;
    }
    LineWriter("running").number(number).send();
    infer();
    last_invoke = number;
  }
  const Overrun found = overrun();
  if (found.found) {
    return LineWriter("overrun").number(number).number(found.node).number(found.range).send();
  }
  LineWriter("done").number(number).number(last_cycles).send();
}

// read TENSOR OFFSET COUNT
void read_output(Words words) {
  uint32_t tensor, offset, count;
  const bool numbers = words.number(tensor) && words.number(offset) && words.number(count);
  if (!numbers || !words.at_end() || tensor >= kOutputs || count > kPayload)
    return error("argument");
  const Buffer output = output_of(static_cast<int>(tensor));
  if (offset > output.bytes || count > output.bytes - offset) return error("argument");
  const uint8_t* data = static_cast<const uint8_t*>(output.data) + offset;
  LineWriter("data").number(tensor).number(offset).base64(data, count).send();
}

void hello(Words words) {
  uint32_t nonce;
  if (!words.number(nonce) || !words.at_end()) return error("argument");
  last_invoke = 0;
  for (uint32_t& bytes : received) {
    if (bytes != 0) forget_input();
    bytes = 0;
  }
  greet(nonce);
}

// crc ADDRESS COUNT: of what flash holds. A process has no flash, and faults at wrong addresses.
void check_memory(Words words) {
  uint32_t address, count;
  if (!words.number(address) || !words.number(count) || !words.at_end()) return error("argument");
  const uint8_t* data = reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(address));
  const uint32_t crc = crc32(0, data, count);
  LineWriter("crc").number(address).number(count).number(crc).send();
}

void quit() {
  LineWriter("bye").send();
  board::exit(0);
}

void obey(const char* body) {
  Words words(body);
  if (words.is("write")) return write_input(words);
  if (words.is("fill")) return fill_input(words);
  if (words.is("read")) return read_output(words);
  if (words.is("invoke")) return invoke(words);
  if (words.is("hello")) return hello(words);
  if (words.is("stack")) {
    return LineWriter("stack").number(board::stack_used()).number(board::stack_size()).send();
  }
  if (kHasFlash && words.is("crc")) return check_memory(words);
  if (words.is("quit")) return quit();
  error("command");
}

void take(LineReader& reader, char byte) {
  switch (reader.take(byte)) {
    case LineReader::State::kNothing:
      return;
    case LineReader::State::kLine:
      return obey(reader.body());
    case LineReader::State::kBadChecksum:
      return error("checksum");
    case LineReader::State::kTooLong:
      return error("length");
  }
}

LineReader reader;

}  // namespace
}  // namespace opsmith::runner

int main() {
  opsmith::board::init();
  opsmith::runner::start();
  opsmith::runner::greet(0);
  for (;;) {
    const int byte = opsmith::board::read();
    if (byte < 0) {
      opsmith::board::wait();
    } else {
      opsmith::runner::take(opsmith::runner::reader, static_cast<char>(byte));
    }
  }
}
