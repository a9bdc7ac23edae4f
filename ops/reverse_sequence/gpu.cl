// ReverseSequence of elements as wide as T, by the definition in reference.h: an element of y each.
#include "runtimes/core/indices.cl"

void gpu(const Params p, const In in, const Out out) {
  const int i = get_global_id(0);
  const int row = p.row / (int)sizeof(T);
  const int second = i / row % p.second;
  const int middle = i / row / p.second % p.middle;
  const int first = i / row / p.second / p.middle % p.first;
  const int outer = i / row / p.second / p.middle / p.first;
  if (outer >= p.outer) return;
  const int batch = p.batch_first ? first : second;
  const int place = p.batch_first ? second : first;
  const int longest = p.batch_first ? p.second : p.first;
  const int length = index_within(in.lengths, p.width, batch, longest + 1);
  const int from = place < length ? length - 1 - place : place;
  const int of_first = outer * p.first + (p.batch_first ? first : from);
  const int at = (of_first * p.middle + middle) * p.second + (p.batch_first ? from : second);
  ((__global T*)out.y)[i] = ((const __global T*)in.x)[at * row + i % row];
}
