// STM32: clocks, pins and the USART or LPUART that board.toml names, as family.py sets them up.

#include "runtimes/mcu/polled_arm.h"
