// SAM D5x: the PLL, and a SERCOM as UART, as family.py sets them up.

#include "runtimes/mcu/polled_arm.h"
