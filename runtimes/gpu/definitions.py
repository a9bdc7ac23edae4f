"""What an author's file of OpenCL C defines: names that a second inclusion would define again."""

from __future__ import annotations

import re

BLANK = r"[ \t\f\v]*"
DIRECTIVE = rf"^{BLANK}#{BLANK}"  # how a line of the preprocessor begins
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_ATTRIBUTE = re.compile(r"\b__attribute__\s*\(\(.*?\)\)")
_DIRECTIVE = re.compile(rf"{DIRECTIVE}(?:\\\n|[^\n])*", re.MULTILINE)
_MACRO = re.compile(rf"{DIRECTIVE}define[ \t\f\v]+(\w+)", re.MULTILINE)
_UNDEFINED = re.compile(rf"{DIRECTIVE}undef[ \t\f\v]+(\w+)", re.MULTILINE)
_CONDITION = re.compile(rf"{DIRECTIVE}(?:el)?if[^\n]*", re.MULTILINE)
# At the start of a line, as clang-format leaves what is at file scope.
_FUNCTION = re.compile(r"^(?!typedef\b)\w[\w \t*]*[\s*](\w+)[ \t]*\([^;{}]*\)\s*\{", re.MULTILINE)
_STATEMENTS = frozenset(
    ("if", "for", "while", "switch")
)  # `else if (…) {` where nothing is indented
_CONSTANT = re.compile(
    r"^(?:\w+[ \t]+)*(?:__)?constant\b[\w \t*]*[ \t*](\w+)[^;{}()=]*=", re.MULTILINE
)
_TYPE = re.compile(
    r"^typedef\b[^;{}()]*(?:\{[^{}]*\})?[^;{}()]*?\b(\w+)\s*(?:\[[^;]*)?;", re.MULTILINE
)
_TAG = re.compile(r"^(?:typedef[ \t]+)?(?:struct|union|enum)[ \t]+(\w+)\s*\{", re.MULTILINE)
_ENUM = re.compile(r"^(?:typedef[ \t]+)?enum\b\s*\w*\s*\{([^{}]*)\}", re.MULTILINE)
# Words of OpenCL C that are none of C++, and so may name inputs, outputs and params of an op.
WORDS = frozenset(
    """constant generic global half kernel local pipe private read_only read_write restrict
    vec_step write_only image1d_t image2d_t image3d_t""".split()
)


def defined_macros(text: str) -> list[str]:
    """The macros that an author's file defines: the next may define others of these names."""
    return list(dict.fromkeys(_MACRO.findall(text)))


def lasting_macros(text: str) -> list[str]:
    """Those that a file defines and does not look for, by #ifdef, nor undefine."""
    code = _COMMENT.sub(" ", text)
    tested = set(re.findall(r"\w+", " ".join(_CONDITION.findall(code))))
    gone = tested | set(_UNDEFINED.findall(code))
    return [name for name in defined_macros(code) if name not in gone]


def defined_names(text: str) -> list[str]:
    """The functions, constants and types of an author's file.

    Not those that the file itself looks for, by #ifdef.
    """
    code = _COMMENT.sub(" ", text)
    tested = set(re.findall(r"\w+", " ".join(_CONDITION.findall(code))))
    code = _ATTRIBUTE.sub("", _DIRECTIVE.sub("", code))
    found = [name for kind in (_FUNCTION, _CONSTANT, _TYPE, _TAG) for name in kind.findall(code)]
    for body in _ENUM.findall(code):
        found += (each.partition("=")[0].strip() for each in body.split(",") if each.strip())
    return [name for name in dict.fromkeys(found) if name not in tested | _STATEMENTS]
