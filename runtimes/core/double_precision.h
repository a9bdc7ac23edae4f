// Whether the core computes floats in hardware, and doubles in less time than integers.
// Freestanding C++17.
#pragma once

namespace opsmith {

#if defined(__ARM_FP) && __ARM_ARCH_PROFILE == 'M'
inline constexpr bool kDoublesAreFast = false;  // a product takes the Cortex-M7 four cycles or more
inline constexpr bool kFloatsInHardware = true;
#elif defined(__ARM_FP)
inline constexpr bool kDoublesAreFast = (__ARM_FP & 8) != 0;
inline constexpr bool kFloatsInHardware = (__ARM_FP & 4) != 0;
#elif defined(__arm__)
inline constexpr bool kDoublesAreFast = false;
inline constexpr bool kFloatsInHardware = false;
#elif defined(__riscv_flen)
inline constexpr bool kDoublesAreFast = __riscv_flen >= 64;
inline constexpr bool kFloatsInHardware = true;
#elif defined(__riscv)
inline constexpr bool kDoublesAreFast = false;
inline constexpr bool kFloatsInHardware = false;
#else
inline constexpr bool kDoublesAreFast = true;
inline constexpr bool kFloatsInHardware = true;
#endif

}  // namespace opsmith
