"""Text of boards, programs and models, escaped for terminals and files."""


def escaped(text: str) -> str:
    """Text on one line, with unprintable characters as Python's escapes, \\x1b for instance."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def escaped_lines(text: str) -> str:
    """Text with its line ends, each line escaped by `escaped`."""
    return "\n".join(map(escaped, text.split("\n")))


def excerpt(text: str | bytes, most: int = 200) -> str:
    """Last characters of a program's output, escaped line by line; at most `most` characters."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    lines = [escaped(line.rstrip()) for line in text[-most:].splitlines()]
    return "\n".join(line for line in lines if line)


def decoded(text: bytes) -> str:
    """Bytes as text without surrogates; a byte that is no UTF-8 becomes the characters \\xff."""
    return text.decode("utf-8", "backslashreplace")
