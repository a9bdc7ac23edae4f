// RP2040 and RP2350: crystal, PLL and a PL011, as family.py sets them up.

#include "runtimes/mcu/polled_arm.h"
