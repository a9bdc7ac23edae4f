// Tensors that broadcast, walked in the shape of y: broadcast.h in OpenCL C. P has size[5] of y,
// and strides of elements: 0 along an axis that repeats.

#define BROADCAST_ELEMENTS(p) (p.size[0] * p.size[1] * p.size[2] * p.size[3] * p.size[4])

// The element that goes with element i of y.
#define BROADCAST(p, stride, i)                                                  \
  ((i) / (p.size[4] * p.size[3] * p.size[2] * p.size[1]) * p.stride[0] +         \
   (i) / (p.size[4] * p.size[3] * p.size[2]) % p.size[1] * p.stride[1] +         \
   (i) / (p.size[4] * p.size[3]) % p.size[2] * p.stride[2] +                     \
   (i) / p.size[4] % p.size[3] * p.stride[3] + (i) % p.size[4] * p.stride[4])
