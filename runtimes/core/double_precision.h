// Whether the core computes doubles in hardware. Freestanding C++17.
#pragma once

namespace opsmith {

#if defined(__ARM_FP)
inline constexpr bool kDoublesInHardware = (__ARM_FP & 8) != 0;
#elif defined(__arm__)
inline constexpr bool kDoublesInHardware = false;
#elif defined(__riscv_flen)
inline constexpr bool kDoublesInHardware = __riscv_flen >= 64;
#elif defined(__riscv)
inline constexpr bool kDoublesInHardware = false;
#else
inline constexpr bool kDoublesInHardware = true;
#endif

}  // namespace opsmith
