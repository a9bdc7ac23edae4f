// LM3S: the main oscillator, and UART0 on PA0 and PA1, as family.py sets them up.

#include "runtimes/mcu/polled_arm.h"
