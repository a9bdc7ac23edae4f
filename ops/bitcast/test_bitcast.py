"""Bitcast: every pair of types, also of unequal widths, against LiteRT."""

from opsmith.testing.op_tests import *

PAIRS = (
    "int8/uint8 uint8/int8 int32/uint32 int32/float32 uint32/int32 uint32/float32 float32/int32 "
    "float32/uint32 int64/uint64 int64/float64 uint64/int64 uint64/float64 float64/int64 "
    "float64/uint64 int16/uint8 uint8/int16 int32/uint8 uint8/int32 uint32/uint8 uint8/uint32 "
    "float32/uint8 uint8/float32"
).split()


def bitcast(x: str, y: str) -> Build:
    """BITCAST of 15 elements of the wider type to build."""
    sizes = [np.dtype(each).itemsize for each in (x, y)]
    of_x, of_y = ((5, 3, max(sizes) // size)[: 2 + (size < max(sizes))] for size in sizes)
    return one_node("BITCAST", {"x": (of_x, x)}, {"y": (of_y, y)})


def there_and_back(m: ModelWriter) -> None:
    """Add the magnitude of floats by their bits: an op between two bitcasts that are views."""
    x = m.input("x", (7,), "float32")
    bits, flipped = m.tensor("bits", (7,), "int32"), m.tensor("flipped", (7,), "int32")
    m.node("BITCAST", [x], [bits])
    m.node("BITWISE_XOR", [bits, m.constant("sign", np.array([-(2**31)], np.int32))], [flipped])
    m.output(m.value("BITCAST", [flipped], m.tensor("y", (7,), "float32")))
    m.output(bits)


class TestBitcast(OpTests):
    cases = (
        *(Case(pair.replace("/", "_as_"), bitcast(*pair.split("/"))) for pair in PAIRS),
        Case("scalar", one_node("BITCAST", {"x": ((), "float32")}, {"y": ((), "int32")})),
        Case("one_element", one_node("BITCAST", {"x": ((1,), "int32")}, {"y": ((1,), "float32")})),
        Case("there_and_back", there_and_back),
    )
    rejected = (
        refused(
            "no_element",
            one_node("BITCAST", {"x": ((2, 3), "uint8")}, {"y": ((2,), "int32")}),
            "the last axis of x u8[2x3] is no i32",
        ),
        refused(
            "no_axis",
            one_node("BITCAST", {"x": ((), "uint8")}, {"y": ((), "int32")}),
            "the last axis of x u8[] is no i32",
        ),
    )
