// DetectionPostprocess, the definition (tensorflow/lite/kernels/detection_postprocess.cc).
#pragma once

#include "detection_postprocess.op.h"
#include "ops/detection_postprocess/exponential.h"

namespace opsmith::detection_postprocess {

struct Box {
  float ymin, xmin, ymax, xmax;
};

inline float value(float x, double /*scale*/, int32_t /*zero_point*/) { return x; }
inline float value(uint8_t x, double scale, int32_t zero_point) {
  return static_cast<float>(x - zero_point) * static_cast<float>(scale);
}

// Scores as float32.
template <class T>
struct Scores {
  const T* first;
  double scale;

  float operator[](int32_t i) const { return value(first[i], scale, 0); }
  Scores from(int32_t i) const { return {first + i, scale}; }
};

inline float lesser(float a, float b) { return b < a ? b : a; }
inline float greater(float a, float b) { return a < b ? b : a; }
inline float positive(float a) { return a < 0.0f ? 0.0f : a; }

// A box from its centre and size, relative to an anchor: y, x, height, width.
template <class P, class T>
Box decoded(const P& p, const T* encoded, const T* relative_to) {
  float box[4], anchor[4];
  for (int32_t i = 0; i < 4; ++i) {
    box[i] = value(encoded[i], p.boxes_scale, p.boxes_zero_point);
    anchor[i] = value(relative_to[i], p.anchors_scale, p.anchors_zero_point);
  }
  const double height = anchor[2], width = anchor[3];
  const float y = static_cast<float>(box[0] / p.y_scale * height + anchor[0]);
  const float x = static_cast<float>(box[1] / p.x_scale * width + anchor[1]);
  const float half_height = static_cast<float>(0.5 * exponential(box[2] / p.h_scale) * height);
  const float half_width = static_cast<float>(0.5 * exponential(box[3] / p.w_scale) * width);
  return {y - half_height, x - half_width, y + half_height, x + half_width};
}

inline float area(const Box& a) { return (a.ymax - a.ymin) * (a.xmax - a.xmin); }

// The area that two boxes share, as a fraction of the area of both.
inline float intersection_over_union(const Box& a, const Box& b) {
  const float first = area(a), second = area(b);
  if (first <= 0 || second <= 0) return 0;
  const float height = positive(lesser(a.ymax, b.ymax) - greater(a.ymin, b.ymin));
  const float width = positive(lesser(a.xmax, b.xmax) - greater(a.xmin, b.xmin));
  const float shared = height * width;
  return shared / (first + second - shared);
}

// Whether score a is higher than b. NaN is lower than all numbers.
inline bool higher(float a, float b) { return a > b || (b != b && a == a); }

// Puts an index among `count` that are sorted by falling score, after its equals; no more than
// `limit` are kept. Returns how many there are then.
template <class Values>
int32_t insert(const Values& scores, int32_t index, int32_t count, int32_t limit, int32_t* sorted) {
  if (count == limit && !higher(scores[index], scores[sorted[count - 1]])) return count;
  int32_t at = count < limit ? count : limit - 1;
  for (; at > 0 && higher(scores[index], scores[sorted[at - 1]]); --at) sorted[at] = sorted[at - 1];
  sorted[at] = index;
  return count < limit ? count + 1 : limit;
}

// The boxes with the highest scores, of which none overlaps a better one too much. Returns how
// many they are.
template <class P>
int32_t select(const P& p, const Box* boxes, const float* scores, int32_t limit, int32_t* chosen) {
  int32_t kept = 0;
  for (int32_t i = 0; i < p.boxes; ++i) {
    if (scores[i] >= static_cast<float>(p.score_threshold)) {
      kept = insert(scores, i, kept, p.boxes, chosen);
    }
  }
  int32_t found = 0;
  for (int32_t i = 0; i < kept && found < limit; ++i) {
    const Box& box = boxes[chosen[i]];
    bool alone = true;
    for (int32_t j = 0; j < found && alone; ++j) {
      alone =
          !(intersection_over_union(boxes[chosen[j]], box) > static_cast<float>(p.iou_threshold));
    }
    if (alone) chosen[found++] = chosen[i];
  }
  return found;
}

template <class T>
void put(const Out<T>& out, int32_t at, const Box& box, int32_t label, float score) {
  memcpy(out.detection_boxes + 4 * at, &box, sizeof box);
  out.detection_classes[at] = static_cast<float>(label);
  out.detection_scores[at] = score;
}

// Suppression among all boxes by their best classes.
template <class P, class T>
int32_t of_all_classes(const P& p, const Scores<T>& scores, const Box* boxes, const Out<T>& out,
                       const ReferenceScratch& scratch) {
  for (int32_t i = 0; i < p.boxes; ++i) {
    int32_t best = 0;
    const Scores<T> labels = scores.from(i * p.labels + p.background);
    for (int32_t label = 1; label < p.classes; ++label) {
      if (higher(labels[label], labels[best])) best = label;
    }
    scratch.scores[i] = labels[best];
  }
  const int32_t found = select(p, boxes, scratch.scores, p.max_detections, scratch.chosen);
  for (int32_t i = 0; i < found; ++i) {
    const int32_t box = scratch.chosen[i];
    const Scores<T> labels = scores.from(box * p.labels + p.background);
    int32_t count = 0;
    for (int32_t label = 0; label < p.classes; ++label) {
      count = insert(labels, label, count, p.classes_per_box, scratch.found);
    }
    for (int32_t k = 0; k < count; ++k) {
      const int32_t label = scratch.found[k];
      put(out, p.max_classes_per_detection * i + k, boxes[box], label, labels[label]);
    }
  }
  return found;
}

// Suppression within each class; the best of all classes are detections.
template <class P, class T>
int32_t of_each_class(const P& p, const Scores<T>& scores, const Box* boxes, const Out<T>& out,
                      const ReferenceScratch& scratch) {
  int32_t found = 0;
  for (int32_t label = p.background; label < p.labels; ++label) {
    for (int32_t i = 0; i < p.boxes; ++i) scratch.scores[i] = scores[i * p.labels + label];
    const int32_t chosen = select(p, boxes, scratch.scores, p.detections_per_class, scratch.chosen);
    for (int32_t i = 0; i < chosen; ++i) {
      const int32_t at = scratch.chosen[i] * p.labels + label;
      found = insert(scores, at, found, p.max_detections, scratch.found);
    }
  }
  for (int32_t i = 0; i < found; ++i) {
    const int32_t at = scratch.found[i], box = at / p.labels;
    put(out, i, boxes[box], at - box * p.labels - p.background, scores[at]);
  }
  return found;
}

template <class P, class T>
void reference(const P& p, const In<T>& in, const Out<T>& out, const ReferenceScratch& scratch) {
  Box* boxes = reinterpret_cast<Box*>(scratch.boxes);
  bool valid = true;
  for (int32_t i = 0; i < p.boxes; ++i) {
    boxes[i] = decoded(p, in.boxes + i * p.box_length, in.anchors + 4 * i);
    valid = valid && !(boxes[i].ymin > boxes[i].ymax || boxes[i].xmin > boxes[i].xmax);
  }
  const int32_t room = p.max_detections * p.max_classes_per_detection;
  for (int32_t i = 0; i < room; ++i) put(out, i, Box{0, 0, 0, 0}, 0, 0);
  const Scores<T> scores{in.scores, p.scores_scale};
  int32_t found = 0;
  if (valid && p.use_regular_nms) {
    found = of_each_class(p, scores, boxes, out, scratch);
  } else if (valid) {
    found = of_all_classes(p, scores, boxes, out, scratch);
  }
  *out.num_detections = static_cast<float>(found);
}

}  // namespace opsmith::detection_postprocess
