// What the sketches of exports need of a core, for a process.
#pragma once

struct Console {
  void begin(long);
  void println(long value);
  void println(double value);
};

extern Console Serial;
void delay(long milliseconds);
void setup();
void loop();
