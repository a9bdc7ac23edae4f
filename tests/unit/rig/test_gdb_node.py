"""What GDB's command `opsmith node` reads in model.cc."""

import struct

from opsmith.rig.gdb_node import node_at, tensors

SOURCE = """\
int8_t* const image = reinterpret_cast<int8_t*>(arena + 0);  // [1, 2, 2, 1]
float* const sums = reinterpret_cast<float*>(arena_ccm + 16);  // [1, 2]

void invoke() {
  // conv_2d by dsp, 1x2x2x1, about 9 cycles
  conv_2d_0({image}, {sums}, tables::conv,
      scratch::conv);
  // flat: reshape of pool, in place
  // add by dsp, 1x2
  add_0({sums, image}, {sums});
}
"""


def test_the_node_is_the_one_of_the_line() -> None:
    assert node_at(SOURCE, 5) is None
    found = [node_at(SOURCE, line) for line in (6, 7, 10)]
    assert [(each.number, each.kernel) for each in found if each] == [
        (0, "conv_2d_0"),
        (0, "conv_2d_0"),
        (1, "add_0"),
    ]
    last = found[-1]
    assert last is not None
    assert (last.inputs, last.outputs) == (("sums", "image"), ("sums",))
    assert last.says == "add by dsp, 1x2"


def test_tensors_have_their_place_and_type() -> None:
    found = tensors(SOURCE)
    image, sums = found["image"], found["sums"]
    assert (image.arena, image.offset, image.bytes) == ("arena", 0, 4)
    assert (sums.arena, sums.offset, sums.bytes) == ("arena_ccm", 16, 8)
    assert image.values(bytes([0, 255, 2, 3])) == "0, -1, 2, 3"
    assert sums.values(struct.pack("<2f", 0.5, -2)) == "0.5, -2"
