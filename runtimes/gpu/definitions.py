"""Names that a custom op's file of OpenCL C defines, which clash if it is included twice."""

import re
from collections.abc import Iterator

from runtimes.gpu.preprocessor import QUOTED, lines_of

# Each takes time that is proportional to the text, whatever that is: none goes on to its end more
# than once. One without its end takes all that it has looked at.
_ATTRIBUTE = re.compile(r"\b__attribute__\s*\(\(.*?((?P<end>\)\))|$)", re.MULTILINE)
# At the start of a line, as clang-format leaves what is at file scope.
_FUNCTION = re.compile(r"^(?!typedef\b)\w[\w \t*]*[\s*](\w+)[ \t]*\(", re.MULTILINE)
_STATEMENTS = frozenset(
    ("if", "for", "while", "switch")
)  # `else if (…) {` where nothing is indented
_CONSTANT = re.compile(r"^(?:\w+[ \t]+)*(?:__)?constant\b[\w \t*]*[ \t*](\w+)", re.MULTILINE)
_TYPE = re.compile(
    r"^typedef\b(?P<plain>[^;{}()\[]*+)(?:\{[^{}]*+\}(?P<struct>[^;{}()\[]*+))?+"
    r"(?:\[[^;]*+)?(?P<end>;)?",
    re.MULTILINE,
)
_TAG = re.compile(r"^(?:typedef[ \t]+)?(?:struct|union|enum)[ \t]+(\w+)\s*\{", re.MULTILINE)
_ENUM = re.compile(r"^(?:typedef[ \t]+)?enum\b(?:\s+\w+)?\s*\{([^{}]*)\}", re.MULTILINE)
# Words of OpenCL C that are none of C++, and so may name inputs, outputs and params of an op.
WORDS = frozenset(
    """constant generic global half kernel local pipe private read_only read_write restrict
    vec_step write_only image1d_t image2d_t image3d_t""".split()
)


# Of extensions, those that each device of OpenCL 1.2 has.
_ALWAYS = frozenset(
    f"cl_khr_{name}"
    for name in (
        "byte_addressable_store",
        *(
            f"{of}_int32_{kind}_atomics"
            for of in ("global", "local")
            for kind in ("base", "extended")
        ),
    )
)
# Not one more: what an author's file defines besides them is undefined where it ends.
_OF_OPENCL = re.compile(
    r"(?:CHAR_BIT|(?:S?CHAR|SHRT|INT|LONG)_M(?:AX|IN)|U(?:CHAR|SHRT|INT|LONG)_MAX"
    r"|FLT_(?:DIG|MANT_DIG|RADIX|EPSILON|MAX|MIN|(?:MAX|MIN)_(?:10_)?EXP)"
    r"|M_(?:E|LOG(?:2|10)E|LN(?:2|10)|PI(?:_[24])?|[12]_PI|2_SQRTPI|SQRT(?:2|1_2))(?:_F)?"
    r"|CLK_(?:LOCAL|GLOBAL)_MEM_FENCE"
    r"|CLK_(?:NORMALIZED_COORDS_(?:TRUE|FALSE)|FILTER_(?:NEAREST|LINEAR))"
    r"|CLK_ADDRESS_(?:NONE|CLAMP|CLAMP_TO_EDGE|REPEAT|MIRRORED_REPEAT)"
    r"|MAXFLOAT|HUGE_VALF?|INFINITY|NAN|FP_ILOGB(?:0|NAN))\Z"
)
_OF_ITS_OWN = re.compile(
    r"(?:no)?unroll\b.*|clang loop\b.*|once|OPENCL EXTENSION\b.*|(?:OPENCL|STDC) FP_CONTRACT OFF"
)
_OPERATOR = re.compile(r'\b_Pragma\s*\(\s*"([^"]*)"\s*\)')
READERS = ("asm", "__asm", "__asm__", "__has_include", "__has_include_next", "__has_embed")
OPERATOR = "_Pragma"
# Extensions and the like, in which devices differ. Clang defines no __OPENCL_VERSION__ at all.
_OF_DEVICES = re.compile(
    r"\b(?:cl_(?:khr|ext|arm|intel|nv|amd|qcom|img|pocl)_\w*|(?:__opencl_c_|FP_FAST_FMA)\w*"
    r"|(?:DBL|HALF)_\w+|M_\w+_H|__OPENCL_VERSION__|__OPENCL_C_VERSION__|__IMAGE_SUPPORT__"
    r"|__EMBEDDED_PROFILE__)\b",
    re.ASCII,
)


def defined_macros(text: str) -> list[str]:
    """Macros that an author's file defines, and that are undefined at its end, since the next file
    may define others of the same names.
    """
    return [name for name in dict.fromkeys(_named(text, "define")) if not _OF_OPENCL.match(name)]


def defined_again(text: str) -> list[str]:
    """Macros of OpenCL C that a file undefines, or defines without asking whether they exist."""
    defined = {*_named(text, "define")} - _looked_for(text) | {*_named(text, "undef")}
    return sorted(name for name in defined if _OF_OPENCL.match(name))


def _named(text: str, directive: str) -> list[str]:
    """Names that follow these directives."""
    found = (line.directive for line in lines_of(text))
    rests = (each[1] for each in found if each is not None and each[0] == directive)
    return [name[0] for rest in rests if (name := re.match(r"\w+", rest))]


def lasting_macros(text: str) -> list[str]:
    """Macros that a file defines, and neither tests by #ifdef nor undefines."""
    gone = _looked_for(text) | set(_named(text, "undef"))
    return [name for name in defined_macros(text) if name not in gone]


def _looked_for(text: str) -> set[str]:
    return set(re.findall(r"\w+", " ".join(line.condition for line in lines_of(text))))


def asked_of_devices(text: str) -> list[str]:
    """Macros that differ between devices, and on which a file's conditional code depends."""
    lines = (line.directive for line in lines_of(text))
    kept = (each for each in lines if each is not None and each[0] not in ("pragma", "error"))
    code = (re.sub(QUOTED, " ", rest) for _, rest in kept)
    found = (name for rest in code for name in _OF_DEVICES.findall(rest))
    return [name for name in dict.fromkeys(found) if name not in _ALWAYS]


def lasting_pragmas(text: str) -> list[str]:
    """Pragmas of a file that would also affect kernels after it."""
    found = [name for line in lines_of(text) for name in _OPERATOR.findall(line.code)]
    directives = (line.directive or ("", "") for line in lines_of(text))
    found += [rest for name, rest in directives if name == "pragma"]
    words = (" ".join(each.split()) for each in found)
    return [each for each in dict.fromkeys(words) if not _OF_ITS_OWN.fullmatch(each)]


def defined_names(text: str) -> list[str]:
    """Functions, constants and types of an author's file, except those tested by #ifdef."""
    code = "\n".join("" if line.directive else line.code for line in lines_of(text))
    code = _ATTRIBUTE.sub(lambda match: "" if match["end"] else match[0], code)
    found = [*_functions(code), *_constants(code), *_types(code), *_TAG.findall(code)]
    for body in _ENUM.findall(code):
        found += (each.partition("=")[0].strip() for each in body.split(",") if each.strip())
    gone = _looked_for(text) | _STATEMENTS
    return [name for name in dict.fromkeys(found) if name not in gone]


def read_beyond(text: str) -> list[str]:
    """Constructs in a file that may read another file, test for one, or change the file's name."""
    found: dict[str, None] = {}
    for line in lines_of(text):
        words = re.findall(r"\w+", re.sub(QUOTED, " ", line.code))
        found |= dict.fromkeys(word for word in words if word in READERS)
        if words.count(OPERATOR) > len(_OPERATOR.findall(line.code)):
            found[f"{OPERATOR} of what is no plain text"] = None
        name = line.directive[0] if line.directive else ""
        if name in ("embed", "line") or name.isdigit():
            found[f"#{name[:9]}"] = None
    return [*found]


def _functions(code: str) -> Iterator[str]:
    """Names of functions: names before a parenthesis that precedes a brace."""
    for start, end in _between(code, "[;{}]", "{"):
        head = _FUNCTION.search(code, start, end)
        if head is not None and code[head.end() : end].rstrip().endswith(")"):
            yield head[1]


def _constants(code: str) -> Iterator[str]:
    """Names of constants that have a value."""
    for start, end in _between(code, "[;{}()=]", "="):
        if (head := _CONSTANT.search(code, start, end)) is not None:
            yield head[1]


def _types(code: str) -> Iterator[str]:
    """Names that typedefs define."""
    for each in _TYPE.finditer(code):
        named = re.findall(r"\w+", each["plain"] if each["struct"] is None else each["struct"])
        if each["end"] and named:
            yield named[-1]


def _between(code: str, stops: str, last: str) -> Iterator[tuple[int, int]]:
    """Start and end of each part without stop characters that ends in the character `last`."""
    start = 0
    for stop in re.finditer(stops, code):
        if stop[0] == last:
            yield start, stop.start()
        start = stop.end()
