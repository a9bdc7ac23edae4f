// RP2040 and RP2350: crystal, PLL and a PL011, as family.py sets them up.

#if defined(__riscv)
#include "runtimes/mcu/rp2/hazard3.h"
#else
#include "runtimes/mcu/polled_arm.h"
#endif
