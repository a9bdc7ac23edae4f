"""BitwiseXor: every type and broadcasts."""

from opsmith.testing.op_tests import OpTests
from runtimes.families.binary_cases import of_plain, plain_cases, refusals

PLAIN = of_plain("BITWISE_XOR")


class TestBitwiseXor(OpTests):
    cases = plain_cases(PLAIN, "int8", "int16", "int32", "uint8", "uint16", "uint32")
    rejected = refusals(PLAIN)
