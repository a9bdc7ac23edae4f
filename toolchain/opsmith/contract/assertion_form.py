"""Form of the assertions about kernels in generated code, by which packages remove them."""

import re

HEADER = "runtimes/core/kernel_contract.h"
# Matches in generated code: the include of HEADER, and the text of `assertions.asserted` without
# its #line.
ASSERTED = re.compile(
    rf'^#include "{HEADER}"\n'
    r"|^namespace ([\w:]+) \{\n"
    r"(?:static_assert\(\n    decltype\(is_as_declared<(?:.+\n)+?    [\"].+\n)+"
    r"\}  // namespace \1\n\n",
    re.MULTILINE,
)
# What tables and assembly of Opsmith's take for granted about structs. Builds check it.
LAYOUT = "the layout in weights.bin"
LAYOUTS = re.compile(
    rf'^static_assert\((?:sizeof\(\w+\) == \d+, "{LAYOUT}"|offsetof[^"\n]*(?:, "")?)\);\n',
    re.MULTILINE,
)
