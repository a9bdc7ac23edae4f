// Runs a sketch once.
#include <stdio.h>

#include "Arduino.h"

Console Serial;

void Console::begin(long) {}
void Console::println(long value) { printf("%ld ", value); }
void Console::println(double value) { printf("%g ", value); }
void delay(long) {}

int main() {
  setup();
  loop();
}
