// Depthwise convolutions of int8, of filters of one channel each: four channels of a pixel for each
// work-item.
#include "runtimes/gpu/plane_sums.cl"

INLINE void planes(const PlanesParams p, const In in, const Out out, const PlanesTables tables) {
  const uint blocks = p.input_channels / 4;
  const uint i = get_global_id(0);
  if (i >= p.batches * p.output_height * p.output_width * blocks) return;
  const PlaneWindow window = PLANE_WINDOW(p, p.rescaling);
  const int4 y = plane_sums(window, in.x, tables.weights, tables.bias, tables.multiplier,
                            tables.shift, i / blocks, i % blocks);
  ((__global char4*)out.y)[i] =
      convert_char4(clamp(y + p.output_zero_point, (int4)p.activation_min, (int4)p.activation_max));
}
