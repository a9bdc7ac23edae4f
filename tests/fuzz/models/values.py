"""Values that find mistakes: limits, neighbours of limits, and names that are no names."""

import math
import random

import numpy as np

INTEGERS: tuple[int, ...] = (
    -(2**31), -(2**16), -129, -2, -1, 0, 1, 2, 3, 4, 7, 127, 128, 255, 256, 2**15, 2**16,
)  # fmt: skip
INTEGERS += (2**30, 2**31 - 1)
SIZES = (0, 1, 1, 2, 3, 4, 5, 8, 17, 64, -1, 2**16, 2**31 - 1)
FLOATS: tuple[float, ...] = (
    0.0, -0.0, -1.0, 1e-45, 1e-38, 1e-20, 1e-6, 2**-15, 1 / 256, 0.1, 0.5, 1.0, 6.0, 1e6,
)  # fmt: skip
FLOATS += (1e20, 3.4e38, math.inf, -math.inf, math.nan)
NAMES: tuple[bytes, ...] = (
    b"", b" ", b"7", b"__", b"int", b"and", b"delete", b"INT32_MAX", b"arena", b"invoke",
    b"opsmith", b"main", b"shapes", b"fuzzed_model", b"add_0", b"conv_2d_0", b"a b", b"a/b", b"b",
    b"B", b"a\\", b"a\\ ", b"a\n#error no", b"*/ #error no", b'"); #error no', b"??/", b"%s%n",
    b"\x00", b"\x1b[2J", b"\r\n", "\u202egnp".encode(), "\u00b5\u2028\U0001f600".encode(),
    b"\xff\xfe", b"\xed\xa0\x80", b"\xc3", b"</text><script>&amp;", b"]]>", b"../../etc/passwd",
    b"`touch pwned`$(touch pwned)", b"x" * 65536, b"\xff" * 300,
)  # fmt: skip


def near(random: random.Random, value: int) -> int:
    """Limit of integers, or an integer next to the given one."""
    if random.random() < 0.4:
        return random.choice(INTEGERS)
    return max(-(2**31), min(2**31 - 1, value + random.choice((-2, -1, -1, 1, 1, 2, value))))


def size_near(random: random.Random, size: int) -> int:
    """Random size of an axis, near the given one or a limit."""
    if random.random() < 0.4:
        return random.choice(SIZES)
    return max(-(2**31), min(2**31 - 1, size + random.choice((-1, 1, size, -size // 2))))


def float_near(random: random.Random, value: float) -> float:
    """Limit of floats, or a float32 near the given one or some powers of two away."""
    if random.random() < 0.3:
        return random.choice(FLOATS)
    one = np.float32(value)
    with np.errstate(all="ignore"):
        made = random.choice(
            (
                np.nextafter(one, np.float32(0)),
                np.nextafter(one, np.float32(np.inf)),
                one * np.float32(2.0 ** random.randint(-24, 24)),
                one * np.float32(random.uniform(0.25, 4)),
                -one,
            )
        )
    return float(made)


def name(random: random.Random) -> bytes:
    """A name that a compiler, a terminal or a reader of JSON could stumble over."""
    return random.choice(NAMES)
