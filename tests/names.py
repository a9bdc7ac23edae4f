"""Names of tensors that code, pictures, tables and terminals could stumble over."""

NAMES = [
    # words of C++, of its headers and of the emitted code
    *("int", "int8_t", "size_t", "memcpy", "INT32_MIN", "UINT8_C", "NULL", "errno", "linux", "and"),
    *("arena", "arena_bytes", "input", "outputs", "invoke", "reset", "main", "std", "opsmith"),
    *(
        "params",
        "scratch",
        "lists",
        "written",
        "kept",
        "guards",
        "overrun",
        "shape",
        "in",
        "out",
        "tables",
        "states",
        "s",
        "index",
        "data",
    ),
    *("row", "rows", "pass", "stream", "advance", "started"),
    # words of the toolchain
    *("nodes", "self"),
    # what the emitted code makes of other names
    *("hostile", "add_0", "add_0_shape", "conv_2d_0", "conv_2d_0_shape", "y", "y_shape", "y_2"),
    *("y_tensor", "y_filter", "y_bias", "y_multiplier", "k", "k_2", "int_", "add", "conv_2d"),
    # what ends a comment, a line or a string
    *(
        "a\\",
        "a\\ ",
        "b\n#error",
        "*/",
        '"',
        "??/",
        "µ",
        "",
        " ",
        "9",
        "__",
        "x" * 79 + "\\x",
        "%s",
    ),
    # what a terminal, a picture or a reader of JSON could stumble over
    *("\x1b[2J", "\u202egnp", "\u2028", "</title>&amp;", "]]>", "\x00", "y" * 65_536),
]
