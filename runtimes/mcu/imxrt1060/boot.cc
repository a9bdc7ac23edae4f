// What the boot ROM looks for in the first 8 KB of flash: how to read its chip by FlexSPI, then
// which image this is. Fields as in fsl_flexspi_nor_boot.h and evkmimxrt1060_flexspi_nor_config.h
// of nxp-mcuxpresso/mcux-sdk 8a289764d.

#include <stdint.h>

#include "board_setup.h"

extern "C" const uint32_t opsmith_vectors[16];

namespace opsmith::mcu {
namespace {

// An instruction for FlexSPI: two commands, each with the number of lines and an operand.
enum Command : uint32_t { kStop = 0, kSend = 1, kAddress = 2, kMode8 = 7, kRead = 9, kDummy = 12 };
enum Lines : uint32_t { kOne = 0, kFour = 2 };
constexpr uint32_t pair(Command a, Lines la, uint32_t oa, Command b, Lines lb, uint32_t ob) {
  return a << 10 | la << 8 | oa | (b << 10 | lb << 8 | ob) << 16;
}

// Each array ends where the next field begins.
struct FlashBlock {
  uint32_t tag, version, zero;
  uint8_t sample_clock, hold_time, setup_time, column_bits;
  uint32_t device_mode[12];
  uint32_t options;
  uint8_t device, lines, frequency, own_sequences;
  uint32_t more[2];
  uint32_t bytes;
  uint32_t other_chips[11];
  uint32_t sequences[64], erasing[16];
  uint32_t page_bytes, sector_bytes, command_clock, free;
  uint32_t block_bytes, last[11];
};
static_assert(sizeof(FlashBlock) == 512);

struct Header {
  FlashBlock flash;
  uint32_t free[(0x1000 - sizeof(FlashBlock)) / 4];
  uint32_t tag;
  const void* entry;
  uint32_t zero, device_configuration;
  const void *boot_data, *self;
  uint32_t signature, last;
  const void* start;
  uint32_t bytes, plugin, end;
  uint32_t more[(0x1000 - 48) / 4];
};
static_assert(sizeof(Header) == 0x2000);

constexpr FlashBlock flash_block() {
  FlashBlock made = {};
  made.tag = 0x42464346;      // "FCFB"
  made.version = 0x56010400;  // V1.4.0
  made.sample_clock = 1;      // looped back from the pad of DQS
  made.hold_time = made.setup_time = 3;
  made.device = 1;  // serial NOR
  made.lines = 4;
  made.frequency = 6;  // 100 MHz
  made.bytes = setup::kFlashBytes;
  made.sequences[0] = pair(kSend, kOne, 0xEB, kAddress, kFour, 24);
  made.sequences[1] = pair(kMode8, kFour, 0xFF, kDummy, kFour, 4);
  made.sequences[2] = pair(kRead, kFour, 4, kStop, kOne, 0);
  made.page_bytes = 256;
  made.sector_bytes = 4096;
  made.command_clock = 1;  // 30 MHz
  made.block_bytes = 64 << 10;
  return made;
}

extern const Header opsmith_boot;
__attribute__((section(".boot"), used)) constexpr Header opsmith_boot = {flash_block(),
                                                                         {},
                                                                         0x412000D1,
                                                                         opsmith_vectors,
                                                                         0,
                                                                         0,
                                                                         &opsmith_boot.start,
                                                                         &opsmith_boot.tag,
                                                                         0,
                                                                         0,
                                                                         &opsmith_boot.flash,
                                                                         setup::kFlashBytes,
                                                                         0,
                                                                         0xFFFFFFFF,
                                                                         {}};

}  // namespace
}  // namespace opsmith::mcu
