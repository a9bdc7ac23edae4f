// How many of N steps, which do not fall, a value has reached; N is a power of two less 1.
INLINE int steps_reached(int value, const __global int* steps, int n) {
  int reached = 0;
  for (int more = (n + 1) / 2; more > 0; more /= 2) {
    if (value >= steps[reached + more - 1]) reached += more;
  }
  return reached;
}
