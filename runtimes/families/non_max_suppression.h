// Boxes by falling score, without those that overlap a better one too much.
#pragma once

#include <stdint.h>

#include "runtimes/core/real_exponential.h"

namespace opsmith::suppression {

struct Limits {
  float overlap;  // intersection over union from which a box is dropped
  float score;    // above which a box is taken
  float decay;    // by exp(decay * overlap^2) scores fall; 0: they stay
};

inline float lesser(float a, float b) { return b < a ? b : a; }
inline float greater(float a, float b) { return a < b ? b : a; }

// Of boxes by two opposite corners: y, x, y, x.
inline float intersection_over_union(const float* a, const float* b) {
  const float top_a = lesser(a[0], a[2]), left_a = lesser(a[1], a[3]);
  const float top_b = lesser(b[0], b[2]), left_b = lesser(b[1], b[3]);
  const float bottom_a = greater(a[0], a[2]), right_a = greater(a[1], a[3]);
  const float bottom_b = greater(b[0], b[2]), right_b = greater(b[1], b[3]);
  const float area_a = (bottom_a - top_a) * (right_a - left_a);
  const float area_b = (bottom_b - top_b) * (right_b - left_b);
  if (area_a <= 0 || area_b <= 0) return 0;
  const float height = lesser(bottom_a, bottom_b) - greater(top_a, top_b);
  const float width = lesser(right_a, right_b) - greater(left_a, left_b);
  const float shared = greater(height, 0.0f) * greater(width, 0.0f);
  return shared / (area_a + area_b - shared);
}

// A heap of boxes with the best on top; equal scores lie as in libstdc++'s heap.
struct Heap {
  int32_t* boxes;
  const float* scores;
  int32_t count;

  void rise(int32_t box, int32_t at) {
    while (at > 0 && scores[boxes[(at - 1) / 2]] < scores[box]) {
      boxes[at] = boxes[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    boxes[at] = box;
  }

  void push(int32_t box) {
    count += 1;
    rise(box, count - 1);
  }

  int32_t pop() {
    const int32_t best = boxes[0], last = boxes[--count];
    int32_t at = 0;
    for (int32_t child = 2; child <= count; child = 2 * at + 2) {
      if (child == count || scores[boxes[child]] < scores[boxes[child - 1]]) child -= 1;
      boxes[at] = boxes[child];
      at = child;
    }
    if (count > 0) rise(last, at);
    return best;
  }
};

// Scratch memory of a choice: a place for each box.
struct Places {
  int32_t* heap;
  float* scores;
  int32_t* compared;  // how many chosen boxes each was compared with
};

// Chooses `most` of `count` boxes at most; `best` gets their scores, unless it is null. Returns how
// many.
inline int32_t choose(const float* boxes, const float* scores, int32_t count, int32_t most,
                      const Limits& limits, const Places& scratch, int32_t* chosen, float* best) {
  Heap heap{scratch.heap, scratch.scores, 0};
  for (int32_t i = 0; i < count; ++i) {
    scratch.scores[i] = scores[i];
    scratch.compared[i] = 0;
    if (scores[i] > limits.score) heap.push(i);
  }
  if (heap.count < most) most = heap.count;
  int32_t found = 0;
  while (found < most && heap.count > 0) {
    const int32_t box = heap.pop();
    const float before = scratch.scores[box];
    float score = before;
    bool dropped = false;
    for (int32_t j = found - 1; j >= scratch.compared[box]; --j) {
      const float overlap = intersection_over_union(boxes + 4 * box, boxes + 4 * chosen[j]);
      dropped = overlap >= limits.overlap;
      if (dropped) break;
      if (limits.decay != 0) score *= real_exponential(limits.decay * overlap * overlap);
      if (score <= limits.score) break;
    }
    scratch.compared[box] = found;
    scratch.scores[box] = score;
    if (dropped) continue;
    if (score == before) {
      if (best != nullptr) best[found] = score;
      chosen[found++] = box;
    }
    if (score > limits.score) heap.push(box);
  }
  return found;
}

}  // namespace opsmith::suppression
