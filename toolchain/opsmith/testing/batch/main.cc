// Runs a model on sets of inputs from one file and appends the outputs to another, by semihosting:
// for tests in an emulator, where a console would take longer than the model.

#include <stdint.h>

#include "runtimes/arch/bare_metal/bare_metal.h"
#include "runtimes/core/model_abi.h"
#include "runtimes/mcu/board.h"

// Of model.h, which names each tensor: with thousands of them, it would be most of what is
// compiled.
namespace OPSMITH_MODEL {
void invoke();
opsmith::Buffer input(int index);  // no data beyond the last
opsmith::Buffer output(int index);
}  // namespace OPSMITH_MODEL

namespace model = OPSMITH_MODEL;

namespace {

constexpr uint32_t kOpen = 0x01, kWrite = 0x05, kRead = 0x06;  // operations of Arm IHI0100
constexpr uint32_t kReadBinary = 1, kWriteBinary = 5;

uint32_t address(const void* pointer) { return reinterpret_cast<uint32_t>(pointer); }

int32_t open(const char* name, uint32_t length, uint32_t mode) {
  const uint32_t block[3] = {address(name), mode, length};
  return opsmith::mcu::semihost(kOpen, block);
}

// Whether all bytes were read or written.
bool transfer(uint32_t operation, int32_t file, const opsmith::Buffer& buffer) {
  const uint32_t block[3] = {static_cast<uint32_t>(file), address(buffer.data), buffer.bytes};
  return opsmith::mcu::semihost(operation, block) == 0;
}

// A byte comes before each set, for a model may have no inputs.
int run(int32_t inputs, int32_t outputs) {
  uint8_t set;
  while (transfer(kRead, inputs, {&set, sizeof set})) {
    for (int i = 0; model::input(i).data != nullptr; ++i) {
      if (!transfer(kRead, inputs, model::input(i))) return 1;
    }
    model::invoke();
    for (int i = 0; model::output(i).data != nullptr; ++i) {
      if (!transfer(kWrite, outputs, model::output(i))) return 1;
    }
  }
  return 0;
}

}  // namespace

int main() {
  opsmith::board::init();
  const int32_t inputs = open("inputs.bin", 10, kReadBinary);
  const int32_t outputs = open("outputs.bin", 11, kWriteBinary);
  opsmith::board::exit(inputs < 0 || outputs < 0 ? 1 : run(inputs, outputs));
}
