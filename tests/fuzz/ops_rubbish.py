"""Values, statements and names that the fuzzer of op folders puts where something else belongs."""

import os
import random
from collections.abc import Callable

# expressions, for fields and for what functions return
VALUES = (
    "None", "0", "-1", "1 << 40", "2**70", "float('nan')", "float('inf')", "1.5", "True", "''",
    "'x'", "'\\x1b[31m'", "b'x'", "()", "[]", "{}", "{'x': 1}", "{1: 2}", "{'y': None}", "(None,)",
    "(1, 2)", "(3, 2, 1, 0)", "('a', 1)", "object()", "type", "lambda *a: None", "lambda: 1",
    "range(3)", "iter([1])", "(i for i in [1, 2])", "__import__('numpy').zeros(3)",
    "__import__('numpy').zeros((2, 2), 'int8')", "__import__('numpy').array('x')",
    "[__import__('numpy').ones(1)]", "'*/'", "'../../x'", "'$(x)'", "'a\\nb'", "Ellipsis",
    "NotImplemented", "int", "[[[1]]]", "frozenset({'dsp'})", "{'view'}", "{'elementwise'}",
    "{'fuses_activation'}", "'RELU'", "'FOO'", "(0, 6)", "(6, 0)", "set()", "Hooks()",
    "Views()", "Hooks(views=Views(part=len))",
    "Refused('no')", "Refused('')", "Plan(None)", "Plan(Params)", "Plan({}, 1, 2, 3, 4, 5)",
)  # fmt: skip
# statements at the start of a function
STATEMENTS = (
    "raise ValueError('x')", "print('printed by a function')", "return", "return None", "return 7",
    "import no_such_module", "(lambda f: f(f))(lambda f: f(f))", "assert False", "1 // 0",
    "from opsmith.op.describe import OpError; raise OpError('refused')",
    "from opsmith.errors import ToolchainError; raise ToolchainError()", "yield 1",
)  # fmt: skip
# lines of the module
MODULE = (
    "import sys; sys.exit(0)", "print('printed by a module')", "def f(): f()\nf()", "del OP",
    "OP = 1", "OP = Op", "OP = None", "import dataclasses; OP = dataclasses.replace(OP, name='x')",
    "__doc__ = 7", "__doc__ = '\\x1b[31m'", "def __getattr__(name): raise KeyError(name)",
    "import no_such_module", "from . import no_such_module", "x = (", "x = '\\ud800'", "    x = 1",
    "from opsmith.op import *", "import threading; threading.Thread(target=lambda: None).start()",
)  # fmt: skip
# contents of a file, or what it is instead
FILES = (
    b"", b"\xff\xfe", b"\0", b"\xef\xbb\xbf", b"# coding: latin-1\n\xe9", b"OP = 1", b"x" * 200_000,
    "folder", "gone", "nowhere",
)  # fmt: skip
NAMES = (
    "a b", "$(x)", "`x`", "-o", "\x1b[2J", "é", "ρelu", "x" * 255, "con", "int", "class", "X",
    "a.b", "a\nb", "'", '"', "\\", os.fsdecode(b"\xff"), "..x", "%s",
)  # fmt: skip
# a header, broken
HEADERS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    lambda data, rng: b"",
    lambda data, rng: b"\xff" + data,
    lambda data, rng: data[: rng.randrange(len(data))],
    lambda data, rng: data.replace(b"int8_t", b"int9_t"),
    lambda data, rng: data + b"\0",
    lambda data, rng: data + b'#include "nowhere.h"\n',
    lambda data, rng: data + b"// OPSMITH_PLACEHOLDER\n",
    lambda data, rng: b'#include "reference.h"\n' + data,
)
