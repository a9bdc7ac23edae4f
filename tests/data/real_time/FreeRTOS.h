// As much of FreeRTOS as the example uses, with one task, which runs when main() calls it.
#pragma once

#include <stdint.h>

typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint16_t configSTACK_DEPTH_TYPE;
typedef uint32_t TickType_t;

#define pdFALSE ((BaseType_t)0)
#define pdTRUE ((BaseType_t)1)
#define pdPASS pdTRUE
#define portMAX_DELAY ((TickType_t)0xffffffff)
#define portYIELD_FROM_ISR(woken) ((void)(woken))
