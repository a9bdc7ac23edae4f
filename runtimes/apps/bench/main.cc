// app=bench: runs the model twice on the same pseudo-random input and tells the outputs over
// semihosting (stdout on the host), so that a tool can count what happens between bench_begin() and
// bench_end() with no one on the console.

#include <stdint.h>

#include "model.h"
#include "runtimes/apps/crc32.h"
#include "runtimes/apps/decimal.h"
#include "runtimes/mcu/board.h"

namespace model = OPSMITH_MODEL;

// Marks for a tool that watches addresses. The empty asm keeps the calls.
extern "C" __attribute__((noinline, noclone, used)) void bench_begin() {
  __asm volatile("" ::: "memory");
}
extern "C" __attribute__((noinline, noclone, used)) void bench_end() {
  __asm volatile("" ::: "memory");
}

namespace {

void put(const char* text) { opsmith::board::debug_write(text); }

void put_number(uint32_t value) {
  char digits[11];
  put(opsmith::decimal(value, digits));
}

void put_hex(const uint8_t* data, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; ++at) {
    const char* digits = "0123456789abcdef";
    const char both[] = {digits[data[at] >> 4], digits[data[at] & 15], 0};
    put(both);
  }
}

// Always the same numbers, for one part of the input after the other: any bytes, but floats in
// [-1, 1).
struct Source {
  uint32_t x = 12345;

  uint32_t next() { return x = x * 1664525u + 1013904223u; }

  template <class T>
  void fill(T* data, uint32_t elements) {
    uint8_t* bytes = reinterpret_cast<uint8_t*>(data);
    for (uint32_t at = 0; at < elements * sizeof(T); ++at) {
      bytes[at] = static_cast<uint8_t>(next() >> 24);
    }
  }

  void fill(float* data, uint32_t elements) {
    for (uint32_t at = 0; at < elements; ++at) {
      data[at] = static_cast<float>(next() >> 8) / (1 << 23) - 1.0f;
    }
  }
};

#ifdef OPSMITH_PUSH
void fill_inputs() {}

// Rows until there are outputs: of frames all at first, then one. That they are made here, one
// after the other, as a camera would, counts with the model.
void infer() {
  static model::stream::Element row[model::stream::row_elements];
  Source source;
  do {
    source.fill(row, model::stream::row_elements);
  } while (!model::OPSMITH_PUSH(row));
}
#else
void fill_inputs() {
  Source source;
  for (int i = 0; i < model::input_count; ++i) {
    const opsmith::Buffer input = model::input(i);
    if (model::input_is_float(i)) {
      source.fill(static_cast<float*>(input.data), input.bytes / sizeof(float));
    } else {
      source.fill(static_cast<uint8_t*>(input.data), input.bytes);
    }
  }
}

void infer() { model::invoke(); }
#endif

void print_output(int index) {
  const opsmith::Buffer output = model::output(index);
  const uint8_t* data = static_cast<const uint8_t*>(output.data);
  const uint32_t crc = opsmith::crc32(0, data, output.bytes);
  const uint8_t digits[4] = {static_cast<uint8_t>(crc >> 24), static_cast<uint8_t>(crc >> 16),
                             static_cast<uint8_t>(crc >> 8), static_cast<uint8_t>(crc)};
  put("output ");
  put_number(static_cast<uint32_t>(index));
  put(" bytes ");
  put_number(output.bytes);
  put(" crc32 ");
  put_hex(digits, 4);
  put(" data ");
  put_hex(data, output.bytes);
  put("\n");
}

}  // namespace

int main() {
  opsmith::board::init();
  uint32_t cycles = 0;
  for (int run = 0; run < 2; ++run) {
    fill_inputs();
    const uint32_t begin = opsmith::board::cycles();
    bench_begin();
    infer();
    bench_end();
    cycles = opsmith::board::cycles() - begin;
  }
  for (int i = 0; i < model::output_count; ++i) print_output(i);
  put("cycles ");
  put_number(cycles);
  put("\nstack ");
  put_number(opsmith::board::stack_used());
  put(" of ");
  put_number(opsmith::board::stack_size());
  put(" bytes\n");
  return 0;
}
