// Sliding windows over an image: window.h in OpenCL C.

// The pixel of an image, along one axis, that is at this place where `spacing - 1` empty ones
// follow each; -1 where there is none.
INLINE int pixel_at(int place, int spacing, int size) {
  if (place < 0 || place % spacing != 0) return -1;
  const int pixel = place / spacing;
  return pixel < size ? pixel : -1;
}
