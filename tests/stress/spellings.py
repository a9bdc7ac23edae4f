"""Names that mean something to a shell, SCons, C++, make, a linker, another system, or nobody."""

import unicodedata

LONGEST = 255  # bytes of a file's name

NAMES = {
    # shell
    "backquotes": "`touch pwned`",
    "command substitution": "$(touch pwned)",
    "semicolon": "a; touch pwned; b",
    "ampersand": "a & touch pwned & b",
    "pipe": "a | touch pwned",
    "redirection": "a > pwned",
    "redirected input": "a < pwned",
    "double quotes": '"; touch pwned; "',
    "single quotes": "'; touch pwned; '",
    "star": "*",
    "question mark": "a?b",
    "brackets": "[a-z]{b,c}",
    "tilde": "~",
    "exclamation mark": "!!touch pwned",
    "leading dash": "-rf",
    "long option": "--help",
    "leading at": "@file",
    "spaces at both ends": " a ",
    "leading dot": ".hidden",
    "trailing dots": "a..",
    "parameter": "$HOME${PATH}",
    # SCons
    "SCons target": "$TARGET",
    "SCons source": "${SOURCE}",
    "SCons Python": "${__import__('os').system('touch pwned')}",
    "SCons top": "#a",
    "SCons open": "$(",
    "SCons close": "$)",
    "SCons list": "${TARGETS[0]} $_CPPINCFLAGS",
    # C++
    "backslash": "a\\b",
    "backslash at the end": "a\\",
    "backslash n": "a\\nb",
    "quote": 'a"b',
    "trigraph": "a??/b",
    "end of comment": "a */ int pwned; /*",
    "line comment": "a//b",
    "paste": "a##b",
    "caret trigraph": "a??'b",
    "raw string": ')" R"(',
    "format": "%s%n%d",
    "keyword": "class",
    "main": "main",
    "std": "std",
    "reserved": "__asm__",
    "digits": "123",
    # make and linker
    "per cent": "a%b",
    "colon": "a:b",
    "equals": "a=b",
    "dollars": "$$",
    "hash": "a # b",
    "parentheses": "INPUT(pwned)",
    "braces": "}; pwned = 1; {",
    "comma": "a,b",
    "brackets of assembly": "\\@ .incbin",
    # other systems
    "con": "con",
    "nul": "nul",
    "aux": "aux.x",
    "one dot": "x.",
    # nobody sees them
    "newline": "a\nb",
    "tab": "a\tb",
    "escape": "a\x1b[2Jb",
    "delete": "a\x7fb",
    "right to left": "a\u202eb",
    "isolate": "a\u2066b",
    "zero width": "a\u200bb",
    "byte order mark": "\ufeffa",
    "line separator": "a\u2028b",
    "no-break space": "a\xa0b",
    "not UTF-8": "a\udcff\udcfeb",
    # everybody else
    "composed": unicodedata.normalize("NFC", "é"),
    "decomposed": unicodedata.normalize("NFD", "é"),
    "emoji": "🧨",
    "other scripts": "模型-модель",
    "longest": "n" * LONGEST,
}


def is_file_name(name: str) -> bool:
    """Whether a file can have this name."""
    return "/" not in name


def fitting(name: str, suffix: str) -> str:
    """The name with a suffix, cut to what a file system takes."""
    while len((name + suffix).encode("utf-8", "surrogateescape")) > LONGEST:
        name = name[:-1]
    return name + suffix
