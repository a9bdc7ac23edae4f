"""Custom layers of OpenVINO for tests: configuration files, kernels, and what these compute."""

from collections.abc import Mapping
from pathlib import Path

LEAKY = """\
<?xml version="1.0"?>
<!-- The example that OpenVINO documents, in words of our own. -->
<CustomLayer name="LeakyLayer" type="SimpleGPU" version="1">
  <Kernel entry="leaky">
    <Source filename="leaky.cl"/>
    <Define name="slope" type="float" param="negative_slope" default="0.0"/>
  </Kernel>
  <Buffers>
    <Tensor arg-index="0" type="input" port-index="0" format="BFYX"/>
    <Tensor arg-index="1" type="output" port-index="0" format="BFYX"/>
  </Buffers>
  <CompilerOptions options="-cl-mad-enable"/>
  <WorkSizes global="X,Y,B*F"/>
</CustomLayer>
"""
BY_PITCHES = """\
// A work-item for each element, at the place that the pitches say.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel void leaky(const __global INPUT0_TYPE* given, __global OUTPUT0_TYPE* made)
{
    int unused = 0;
    const uint x = get_global_id(0), y = get_global_id(1), plane = get_global_id(2);
    const uint f = plane % OUTPUT0_DIMS[1], b = plane / OUTPUT0_DIMS[1];
    const uint from = INPUT0_OFFSET + b * INPUT0_PITCHES[0] + f * INPUT0_PITCHES[1]
                    + y * INPUT0_PITCHES[2] + x * INPUT0_PITCHES[3];
    const uint to = OUTPUT0_OFFSET + b * OUTPUT0_PITCHES[0] + f * OUTPUT0_PITCHES[1]
                  + y * OUTPUT0_PITCHES[2] + x * OUTPUT0_PITCHES[3];
    const INPUT0_TYPE value = given[from];
    made[to] = value < 0 ? value * slope : value;
}
"""

# Its output comes first, and its index space is the default. It looks at no pitch.
PLACES = """\
<CustomLayer name="Places{format}" type="SimpleGPU" version="1">
  <Kernel entry="places"><Source filename="places.cl"/></Kernel>
  <Buffers>
    <Tensor arg-index="1" type="input" port-index="0" format="{format}"/>
    <Tensor arg-index="0" type="output" port-index="0" format="{format}"/>
  </Buffers>
</CustomLayer>
"""
BY_FORMAT = """\
kernel void
places(global OUTPUT0_TYPE* made, const global INPUT0_TYPE* given) {
  const int i = get_global_id(0);
  const int B = INPUT0_DIMS[0], F = INPUT0_DIMS[1], Y = INPUT0_DIMS[2], X = INPUT0_DIMS[3];
#if defined(INPUT0_FORMAT_BFYX)
  const int x = i % X, y = i / X % Y, f = i / (X * Y) % F, b = i / (X * Y * F);
#elif defined(INPUT0_FORMAT_BYXF)
  const int f = i % F, x = i / F % X, y = i / (F * X) % Y, b = i / (F * X * Y);
#elif defined(INPUT0_FORMAT_YXFB)
  const int b = i % B, f = i / B % F, x = i / (B * F) % X, y = i / (B * F * X);
#elif defined(INPUT0_FORMAT_FYXB)
  const int b = i % B, x = i / B % X, y = i / (B * X) % Y, f = i / (B * X * Y);
#endif
  made[i] = given[i] + (1000 * b + 100 * f + 10 * y + x);
}
"""

# Two inputs of which it looks at the second one's sizes, data, a local size, arrays of options.
BLEND = """\
<CustomLayer name="Blend" type="SimpleGPU" version="1">
  <Kernel entry="blend">
    <Source filename="blend_parts.cl"/>
    <Source filename="blend.cl"/>
    <Define name="TAPS" type="int[]" param="Taps" default="1,-2"/>
    <Define name="SHARES" type="float[]" param="shares"/>
    <Define name="LIMIT 7"/>
  </Kernel>
  <Buffers>
    <Tensor arg-index="0" type="input" port-index="0" format="any"/>
    <Tensor arg-index="1" type="input" port-index="1" format="byxf"/>
    <Data arg-index="2" name="Weights"/>
    <Tensor arg-index="3" type="output" port-index="0" format="BFYX"/>
  </Buffers>
  <CompilerOptions options="-DBIAS=5 -D SQUARED -cl-std=CL1.2"/>
  <WorkSizes dim="input,1" global="(F+1)/2*2, X, Y*B" local="2,1,1"/>
</CustomLayer>
"""
BLEND_PARTS = "static int limited(int value) { return value > LIMIT ? LIMIT : value; }\n"
BLEND_KERNEL = """\
__kernel void blend(__global INPUT0_TYPE* a, __global INPUT1_TYPE* b,
                    __global INPUT2_TYPE* weights, __global OUTPUT0_TYPE* made) {
  const int f = get_global_id(0), x = get_global_id(1), plane = get_global_id(2);
  const int y = plane % INPUT1_DIMS[2], n = plane / INPUT1_DIMS[2];
  if (f >= INPUT1_DIMS[1] || NUM_INPUTS != 3 || !SQUARED) return;
  const int at = f * INPUT0_PITCHES[1] + n * INPUT0_PITCHES[0];
  const int i = f + INPUT1_DIMS[1] * (x + INPUT1_DIMS[3] * (y + INPUT1_DIMS[2] * n));
  const int to = x + OUTPUT0_DIMS[3] * (y + OUTPUT0_DIMS[2] * (f + OUTPUT0_DIMS[1] * n));
  const int sum = limited(a[at] * TAPS[0] + weights[f] * TAPS[1]) + BIAS;
  made[to] = sum + SHARES[0] * b[i] + SHARES[1] * (GLOBAL_WORKSIZE[0] + LOCAL_WORKSIZE_SIZE);
}
"""
FORMATS = ("BFYX", "BYXF", "YXFB", "FYXB")

FILES: Mapping[str, str] = {
    "leaky.xml": LEAKY,
    "leaky.cl": BY_PITCHES,
    "places.xml": "\n".join(PLACES.format(format=each) for each in FORMATS),
    "places.cl": BY_FORMAT,
    "blend.xml": BLEND,
    "blend.cl": BLEND_KERNEL,
    "blend_parts.cl": BLEND_PARTS,
}


def write_layers(folder: Path) -> None:
    """Write all custom layers to a new folder."""
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
