// Sums in the order of LiteRT's functions for vectors of four elements, and what follows them.

// Sets `sum` to the sum of TERM(i): four of every fourth term, added up, and then those left.
#define SUM_BY_FOUR(sum, count, TERM)                             \
  {                                                               \
    float lanes[4] = {0, 0, 0, 0};                                \
    const int whole = (count) & ~3;                               \
    for (int i_ = 0; i_ < whole; ++i_) lanes[i_ & 3] += TERM(i_); \
    sum = lanes[0] + lanes[1] + lanes[2] + lanes[3];              \
    for (int i_ = whole; i_ < (count); ++i_) sum += TERM(i_);     \
  }

// Moves the memory of a filter up by one and appends the latest element.
INLINE void append(__global float* memory, int size, float latest) {
  for (int i = 0; i + 1 < size; ++i) memory[i] = memory[i + 1];
  memory[size - 1] = latest;
}

// y within the bounds that P has; NaN becomes the least element.
#define ACTIVATED(p, y)                               \
  if (p.has_min && !(y > p.real_min)) y = p.real_min; \
  if (p.has_max && !(y < p.real_max)) y = p.real_max;
