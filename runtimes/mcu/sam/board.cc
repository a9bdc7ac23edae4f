// SAM D21 and D5x: the clock, and a SERCOM as UART, as family.py sets them up.

#include "runtimes/mcu/polled_arm.h"
