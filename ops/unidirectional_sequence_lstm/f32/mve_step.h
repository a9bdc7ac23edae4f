// Needs Helium with floats. A step of float32 from the gates before their functions; fast because
// these are computed four cells at a time.
#pragma once

#include "ops/unidirectional_sequence_lstm/f32/reference.h"
#include "runtimes/cmsis/mve_real_functions.h"
#include "runtimes/cmsis/mve_real_rows.h"

namespace opsmith::unidirectional_sequence_lstm::f32 {

// Replaces the cells of a gate by the logistic function of them.
template <class P>
void open(const P& p, Gate which, int32_t batch, float* gate) {
  const GateRow row = gate_row(p, which, batch);
  const Places whole = row.places.whole();
  const auto cell = [&](int32_t place) {
    const int32_t i = place - row.cells;
    return i < 0 ? 0 : i < p.cells ? i : p.cells;
  };
  const int32_t begin = cell(whole.begin), last = cell(whole.end),
                end = last > begin ? last : begin;
  for (int32_t i = 0; i < begin; ++i) gate[i] = single_logistic(gate[i]);
  mve::real::replace(gate + begin, end - begin,
                     [](mve::real::Reals x) { return mve::real::logistics(x); });
  for (int32_t i = end; i < p.cells; ++i) gate[i] = single_logistic(gate[i]);
}

// step() where vectors met subnormal numbers.
template <class P, class OfCell>
__attribute__((noinline, cold)) void step_again(const P& p, int32_t batch, float* cells, float* y,
                                                OfCell gate) {
  step(p, batch, cells, y, gate);
  mve::real::Subnormals::taken();
}

// One step of one batch from `gates`, [4][cells], which are overwritten: y, and the next cells.
// False, with both as they were, if vectors met subnormal numbers since `Subnormals` was asked.
template <class P>
bool step_by_vectors(const P& p, int32_t batch, float* gates, float* cells, float* y) {
  using namespace mve::real;
  float *update = gates, *forget = update + p.cells, *next = forget + p.cells;
  float* output = next + p.cells;
  if (!p.coupled) open(p, kInput, batch, update);
  open(p, kForget, batch, forget);
  open(p, kOutput, batch, output);
  const auto clip = static_cast<float>(p.cell_clip);
  for (int32_t i = 0; i < p.cells; i += 4) {
    const auto four = [&](const float* x) { return Reals::first(x + i, p.cells - i); };
    const Reals kept = four(forget);
    const Reals opened = p.coupled ? all(1.0f) - kept : four(update);
    Reals sum = kept * four(cells) + hyperbolic_tangents(four(next)) * opened;
    if (clip > 0) {  // as updated() does
      sum = where_greater(all(clip), sum, sum, all(clip));
      sum = where_greater(sum, all(-clip), sum, all(-clip));
    }
    sum.put_first(next + i, p.cells - i);
    (four(output) * hyperbolic_tangents(sum)).put_first(output + i, p.cells - i);
  }
  if (Subnormals::taken() != 0) return false;
  copy_elements(cells, next, p.cells);
  copy_elements(y, output, p.cells);
  return true;
}

}  // namespace opsmith::unidirectional_sequence_lstm::f32
