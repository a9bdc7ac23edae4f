// Whether the core computes doubles in hardware. Freestanding C++17.
#pragma once

namespace opsmith {

#if defined(__arm__)
inline constexpr bool kDoublesInHardware = (__ARM_FP + 0 & 8) != 0;
#elif defined(__riscv)
inline constexpr bool kDoublesInHardware = __riscv_flen + 0 >= 64;
#else
inline constexpr bool kDoublesInHardware = true;
#endif

}  // namespace opsmith
