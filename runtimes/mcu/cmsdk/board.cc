// Arm MPS2 and MPS3 FPGA images, whose clock the FPGA sets: the APB UART of the Cortex-M System
// Design Kit (DDI0479), as family.py sets it up.

#include "runtimes/mcu/polled_arm.h"
