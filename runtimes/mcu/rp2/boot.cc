// What the boot ROM looks for. RP2040: 256 bytes at the begin of flash, the second stage, which
// makes flash readable and starts the program after it; the last word is their CRC. RP2350: a block
// among the first 4 KB that says which image this is; a program for RISC-V starts at its first byte
// (pico_crt0/embedded_start_block.inc.S of raspberrypi/pico-sdk a1438dff).

#include <stdint.h>

namespace opsmith::mcu {
namespace {

#if defined(__ARM_ARCH) && __ARM_ARCH == 6

struct Stage {
  uint16_t code[32];
  uint16_t free[94];
  uint32_t crc;
};
static_assert(sizeof(Stage) == 256);

// CRC-32 of polynomial 0x04C11DB7, upper bit first, as the ROM computes it: after one more byte.
constexpr uint32_t after(uint32_t crc, uint32_t byte) {
  crc ^= byte << 24;
  for (int i = 0; i < 8; ++i) crc = crc & 0x80000000 ? crc << 1 ^ 0x04C11DB7 : crc << 1;
  return crc;
}

template <int n>
constexpr uint32_t after(uint32_t crc, const uint16_t (&halves)[n]) {
  for (int i = 0; i < n; ++i) crc = after(after(crc, halves[i] & 0xFF), halves[i] >> 8);
  return crc;
}

// boot2.S, assembled: tests compare them.
constexpr Stage with_crc() {
  Stage stage = {
      {0x4B09, 0x2000, 0x6098, 0x2104, 0x6159, 0x4908, 0x6019, 0x4908, 0x4A08, 0x6011, 0x6058,
       0x2101, 0x6099, 0x4807, 0x4907, 0x6008, 0xC806, 0xF381, 0x8808, 0x4710, 0x0000, 0x1800,
       0x0300, 0x001F, 0x0218, 0x0300, 0x00F4, 0x1800, 0x0100, 0x1000, 0xED08, 0xE000},
      {},
      0};
  stage.crc = after(after(0xFFFFFFFF, stage.code), stage.free);
  return stage;
}

extern const Stage opsmith_boot;
__attribute__((section(".boot"), used)) constexpr Stage opsmith_boot = with_crc();

#else

#if defined(__riscv)
constexpr uint32_t kImage = 0x11010142;  // a program for RISC-V cores of an RP2350
#else
constexpr uint32_t kImage = 0x10210142;  // a program for Arm cores, secure, of an RP2350
#endif

extern const uint32_t opsmith_boot[5];
__attribute__((section(".boot.after"), used)) constexpr uint32_t opsmith_boot[5] = {
    0xFFFFDED3,  // begin
    kImage,      // item: image type
    0x000001FF,  // last item, after one word of items
    0,           // no further block
    0xAB123579,  // end
};

#endif

}  // namespace
}  // namespace opsmith::mcu
