// SmartFusion2, whose design sets clock and pins: an MMUART, as family.py sets it up.

#include "runtimes/mcu/polled_arm.h"
