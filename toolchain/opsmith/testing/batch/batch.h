// Runs models on sets of inputs from one file and appends the outputs to another, by semihosting:
// for tests in an emulator, where a console would take longer than the models.
#pragma once

#include <stdint.h>

#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/core/model_abi.h"
#include "runtimes/mcu/board.h"

namespace batch {

// What model.h declares, without the names of tensors: with thousands of them, these would be most
// of what is compiled.
struct Model {
  void (*invoke)();
  opsmith::Buffer (*input)(int index);  // no data beyond the last
  opsmith::Buffer (*output)(int index);
};

constexpr uint32_t kOpen = 0x01, kWrite = 0x05, kRead = 0x06;  // operations of semihosting
constexpr uint32_t kReadBinary = 1, kWriteBinary = 5;

inline uint32_t address(const void* pointer) { return reinterpret_cast<uint32_t>(pointer); }

inline int32_t open(const char* name, uint32_t length, uint32_t mode) {
  const uint32_t block[3] = {address(name), mode, length};
  return opsmith::mcu::semihost(kOpen, block);
}

// Whether all bytes were read or written.
inline bool transfer(uint32_t operation, int32_t file, const opsmith::Buffer& buffer) {
  const uint32_t block[3] = {static_cast<uint32_t>(file), address(buffer.data), buffer.bytes};
  return opsmith::mcu::semihost(operation, block) == 0;
}

inline bool run_once(const Model& model, int32_t inputs, int32_t outputs) {
  for (int i = 0; model.input(i).data != nullptr; ++i) {
    if (!transfer(kRead, inputs, model.input(i))) return false;
  }
  model.invoke();
  for (int i = 0; model.output(i).data != nullptr; ++i) {
    if (!transfer(kWrite, outputs, model.output(i))) return false;
  }
  return true;
}

// Runs each model on each set, in which its inputs follow those of the models before it. A byte
// comes before each set, for models may have no inputs. Ends the program.
template <int count>
void run(const Model (&models)[count]) {
  opsmith::board::init();
  const int32_t inputs = open("inputs.bin", 10, kReadBinary);
  const int32_t outputs = open("outputs.bin", 11, kWriteBinary);
  bool good = inputs >= 0 && outputs >= 0;
  uint8_t set;
  while (good && transfer(kRead, inputs, {&set, sizeof set})) {
    for (const Model& model : models) good = good && run_once(model, inputs, outputs);
  }
  opsmith::board::exit(good ? 0 : 1);
}

}  // namespace batch
