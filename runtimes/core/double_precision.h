// Whether the core computes doubles, or floats, in hardware. Freestanding C++17.
#pragma once

namespace opsmith {

#if defined(__ARM_FP)
inline constexpr bool kDoublesInHardware = (__ARM_FP & 8) != 0;
inline constexpr bool kFloatsInHardware = (__ARM_FP & 4) != 0;
#elif defined(__arm__)
inline constexpr bool kDoublesInHardware = false;
inline constexpr bool kFloatsInHardware = false;
#elif defined(__riscv_flen)
inline constexpr bool kDoublesInHardware = __riscv_flen >= 64;
inline constexpr bool kFloatsInHardware = true;
#elif defined(__riscv)
inline constexpr bool kDoublesInHardware = false;
inline constexpr bool kFloatsInHardware = false;
#else
inline constexpr bool kDoublesInHardware = true;
inline constexpr bool kFloatsInHardware = true;
#endif

}  // namespace opsmith
