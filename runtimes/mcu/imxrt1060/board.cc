// i.MX RT1060: PLL, memory protection and an LPUART, as family.py sets them up.

#include "runtimes/mcu/polled_arm.h"
