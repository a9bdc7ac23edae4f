// Faults: prints what the core stacked and why it faulted over the console, then ends the program.
// The dump runs on a stack of its own, so stack overflows are reported, too; fault.py explains it.

#include <stdint.h>

#include "runtimes/arch/bare_metal/dump.h"
#include "runtimes/mcu/board.h"
#include "runtimes/mcu/registers.h"

extern "C" {

extern const uint32_t __stack_limit[], __ram_start[], __ram_end[];
extern const uint32_t __text_start[], __text_end[];

// What the core pushes at exception entry.
struct Frame {
  uint32_t r0, r1, r2, r3, r12, lr, pc, psr;
};

// Two stacks. The handler runs on the second; then the frame takes the core to end_after_fault() in
// thread mode on the first, where a BKPT that nobody answers is no second fault inside a fault
// (lockup).
struct FaultMemory {
  alignas(8) uint32_t end_stack[64];
  Frame frame;
  uint32_t handler_stack[160];
};
static_assert(sizeof(FaultMemory) == 928, "HardFault_Handler says 928");
extern FaultMemory opsmith_fault_memory;
__attribute__((used)) FaultMemory opsmith_fault_memory;

// What HardFault_Handler goes on with: the exception return value and the main stack pointer.
struct Resume {
  uint32_t exception_return;
  uint32_t stack;
};

}  // extern "C"

namespace opsmith::mcu {
namespace {

constexpr uint32_t kCcr = 0xE000ED14, kCfsr = 0xE000ED28, kHfsr = 0xE000ED2C, kFpccr = 0xE000EF34;
constexpr uint32_t kSemihostingBkpt = 0xBEAB;

bool readable(const Frame* frame) {
  const uint32_t* first = reinterpret_cast<const uint32_t*>(frame);
  return first >= __ram_start && first + 8 <= __ram_end;
}

// The BKPT of semihost(), with nobody there to answer it.
bool unanswered_semihosting(const Frame* frame) {
  const uint32_t begin = reinterpret_cast<uint32_t>(__text_start);
  const uint32_t end = reinterpret_cast<uint32_t>(__text_end);
  if (!readable(frame) || frame->pc < begin || frame->pc >= end) return false;
  return *reinterpret_cast<const uint16_t*>(frame->pc & ~1u) == kSemihostingBkpt;
}

void print_fault(uint32_t exception_return, const Frame* frame) {
  uint32_t exception;
  __asm volatile("mrs %0, ipsr" : "=r"(exception));
  const uint32_t where[] = {exception, exception_return, reinterpret_cast<uint32_t>(frame),
                            reinterpret_cast<uint32_t>(__stack_limit)};
  put("\n!fault");
  put_words("exception\0return\0sp\0limit\0", where);
  if (readable(frame)) {
    put("\n!");
    put_words("r0\0r1\0r2\0r3\0r12\0lr\0pc\0psr\0", &frame->r0);
  }
#if __ARM_ARCH_ISA_THUMB == 2
  put("\n!");
  put_words("cfsr\0hfsr\0dfsr\0mmfar\0bfar\0", &reg(kCfsr));
#endif
  put("\n!end\n");
}

[[noreturn]] void end_after_fault() { board::exit(70); }

Resume leave(uint32_t exception_return) {
#if __ARM_ARCH_ISA_THUMB == 2
  set_bits(kCcr, 1);  // NONBASETHRDENA: also out of a fault inside an interrupt
#endif
#if defined(__ARM_FP)
  clear_bits(kFpccr, 1);  // LSPACT: the lazily stacked FPU registers are of no use to anyone
#endif
  opsmith_fault_memory.frame.lr = 0xFFFFFFFF;
  opsmith_fault_memory.frame.pc = reinterpret_cast<uint32_t>(&end_after_fault) & ~1u;
  opsmith_fault_memory.frame.psr = 0x01000000;  // Thumb
  constexpr uint32_t kBasicFrame = 1u << 4, kThread = 1u << 3, kProcessStack = 1u << 2;
  return {(exception_return | kBasicFrame | kThread) & ~kProcessStack,
          reinterpret_cast<uint32_t>(&opsmith_fault_memory.frame)};
}

}  // namespace

extern "C" __attribute__((used)) uint64_t opsmith_fault(uint32_t exception_return, Frame* frame,
                                                        uint32_t stack) {
  Resume resume = {exception_return, stack};
  if (unanswered_semihosting(frame)) {
    frame->r0 = 0xFFFFFFFF;
    frame->pc += 2;
#if __ARM_ARCH_ISA_THUMB == 2
    reg(kHfsr) = reg(kHfsr);  // write one to clear
#endif
  } else {
    print_fault(exception_return, frame);
    resume = leave(exception_return);
  }
  return resume.exception_return | static_cast<uint64_t>(resume.stack) << 32;
}

extern "C" __attribute__((naked, used)) void HardFault_Handler() {
  __asm volatile(
      "mov r0, lr\n"
      "mrs r2, msp\n"
      "mov r1, r2\n"
      "movs r3, #4\n"
      "tst r0, r3\n"
      "beq 1f\n"
      "mrs r1, psp\n"
      "1: ldr r3, =opsmith_fault_memory + 928\n"
      "mov sp, r3\n"
      "bl opsmith_fault\n"
      "mov sp, r1\n"
      "bx r0\n"
      ".ltorg\n");
}

// What no one handles is reported like a fault. Strong definitions of these CMSIS names replace
// them.
#define OPSMITH_UNHANDLED extern "C" __attribute__((weak, nothrow, alias("HardFault_Handler"))) void
OPSMITH_UNHANDLED NMI_Handler();
OPSMITH_UNHANDLED MemManage_Handler();
OPSMITH_UNHANDLED BusFault_Handler();
OPSMITH_UNHANDLED UsageFault_Handler();
OPSMITH_UNHANDLED SecureFault_Handler();
OPSMITH_UNHANDLED SVC_Handler();
OPSMITH_UNHANDLED DebugMon_Handler();
OPSMITH_UNHANDLED PendSV_Handler();

}  // namespace opsmith::mcu
