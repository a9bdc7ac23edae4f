// app=mlperf_energy: app=mlperf whose timestamps are edges of the LED's pin, for a power monitor.

#define OPSMITH_MLPERF_ENERGY
#include "runtimes/apps/mlperf/main.cc"
