// Ops that move elements without looking at them: movement.h in OpenCL C. T is as wide as they are.
// A program includes this file for each kernel that it uses, under another name.
#include "runtimes/core/indices.cl"

// to[i] = from[at] of elements that are N bytes wide.
#define MOVE(unit, to, i, from, at)                                                \
  if (unit == 16) ((__global int4*)(to))[i] = ((const __global int4*)(from))[at];  \
  if (unit == 8) ((__global long*)(to))[i] = ((const __global long*)(from))[at];   \
  if (unit == 4) ((__global int*)(to))[i] = ((const __global int*)(from))[at];     \
  if (unit == 2) ((__global short*)(to))[i] = ((const __global short*)(from))[at]; \
  if (unit == 1) ((__global char*)(to))[i] = ((const __global char*)(from))[at];

#ifdef copy
// All elements as they are.
INLINE void copy(const CopyParams p, const __global void* x, __global void* y) {
  const int i = get_global_id(0);
  if (i < p.bytes / (int)sizeof(T)) ((__global T*)y)[i] = ((const __global T*)x)[i];
}
#endif

#ifdef gather
// Units of x at regular distances along each axis of y.
INLINE void gather(const PARAMS p, const __global void* x, __global void* y) {
  const int i = get_global_id(0);
  int rest = i;
  int at = p.first;
#pragma unroll
  for (int axis = AXES - 1; axis >= 0; --axis) {
    at += rest % p.size[axis] * p.step[axis];
    rest /= p.size[axis];
  }
  if (rest > 0) return;
  MOVE(p.unit, y, i, x, at)
}
#endif

#ifdef take
// Bytes of rows of x: each as far from its start as the offsets of its positions along all axes.
INLINE void take(const TakeParams p, const __global int32_t* offsets, const __global void* x,
                 __global void* y) {
  const int i = get_global_id(0);
  const int elements = p.row / (int)sizeof(T);
  int rest = i / elements;
  int at = i % elements * (int)sizeof(T);
  int start = 0;
#pragma unroll
  for (int axis = 0; axis < 8; ++axis) start += p.size[axis];
#pragma unroll
  for (int axis = 7; axis >= 0; --axis) {
    start -= p.size[axis];
    at += offsets[start + rest % p.size[axis]];
    rest /= p.size[axis];
  }
  if (rest == 0) ((__global T*)y)[i] = *(const __global T*)((const __global char*)x + at);
}
#endif

#ifdef look_up
// The row of x that each tuple of indices leads to. Where TFLite fails at run time, the nearest.
INLINE void look_up(const LookUpParams p, const __global void* indices, const __global void* x,
                    __global void* y) {
  const int i = get_global_id(0);
  const int elements = p.row / (int)sizeof(T);
  const int tuple = i / elements % p.tuples;
  const int part = i / elements / p.tuples;
  if (part >= p.batches * p.outer) return;
  int at = 0;
  for (int axis = 0; axis < p.depth; ++axis) {
    const int number = (part / p.outer * p.tuples + tuple) * p.depth + axis;
    at = at * p.size[axis] + index_within(indices, p.width, number, p.size[axis]);
  }
  const int from = (part * p.positions + at) * elements + i % elements;
  ((__global T*)y)[i] = ((const __global T*)x)[from];
}
#endif

#ifdef put_together
// The tensors x, of each of which a row of y has N bytes.
INLINE void put_together(const UnitRows p, const __global int32_t* bytes,
                         const __global void* const* x, __global void* y) {
  const int i = get_global_id(0);
  int row = 0;
  for (int j = 0; j < p.count; ++j) row += bytes[j] / p.unit;
  if (i >= row * p.rows) return;
  int at = i % row;
  for (int j = 0; j < p.count; ++j) {
    const int part = bytes[j] / p.unit;
    if (at >= 0 && at < part) {
      MOVE(p.unit, y, i, x[j], i / row * part + at)
    }
    at -= part;
  }
}
#endif

#ifdef take_apart
// Gives each of the tensors y its bytes of every row of x.
INLINE void take_apart(const UnitRows p, const __global int32_t* bytes, const __global void* x,
                       __global void* const* y) {
  const int i = get_global_id(0);
  int row = 0;
  for (int j = 0; j < p.count; ++j) row += bytes[j] / p.unit;
  if (i >= row * p.rows) return;
  int at = i % row;
  for (int j = 0; j < p.count; ++j) {
    const int part = bytes[j] / p.unit;
    if (at >= 0 && at < part) {
      MOVE(p.unit, y[j], i / row * part + at, x, i)
    }
    at -= part;
  }
}
#endif
