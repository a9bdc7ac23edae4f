// CRC-32 (IEEE 802.3, as zlib.crc32 computes it) with a table of 16 words.
#pragma once

#include <stdint.h>

namespace opsmith {

// The CRC of what came before and these bytes; start with 0.
__attribute__((noinline)) inline uint32_t crc32(uint32_t crc, const uint8_t* data, uint32_t bytes) {
  static constexpr uint32_t kTable[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                          0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                          0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                          0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  crc = ~crc;
  for (uint32_t i = 0; i < bytes; ++i) {
    crc = kTable[(crc ^ data[i]) & 15] ^ (crc >> 4);
    crc = kTable[(crc ^ data[i] >> 4) & 15] ^ (crc >> 4);
  }
  return ~crc;
}

}  // namespace opsmith
