// The functions of board.h for applications in C: the same ones, by the names that C++ gives them.
#pragma once

#include <stdint.h>

void opsmith_init(void) __asm("_ZN7opsmith5board4initEv");
int opsmith_read(void) __asm("_ZN7opsmith5board4readEv");
void opsmith_wait(void) __asm("_ZN7opsmith5board4waitEv");
uint32_t opsmith_clock_hz(void) __asm("_ZN7opsmith5board8clock_hzEv");
uint32_t opsmith_cycles(void) __asm("_ZN7opsmith5board6cyclesEv");
void opsmith_led(_Bool on) __asm("_ZN7opsmith5board3ledEb");
_Bool opsmith_button(void) __asm("_ZN7opsmith5board6buttonEv");
void opsmith_exit_with(int status) __asm("_ZN7opsmith5board4exitEi");
