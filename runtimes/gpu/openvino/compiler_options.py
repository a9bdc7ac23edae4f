"""Compiler options of a custom layer: honoured, without effect, or refused."""

from dataclasses import dataclass

MOST = 100
# Each allows the compiler to compute less exactly, and asks for nothing.
PERMISSIONS = (
    "-cl-mad-enable",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-no-signed-zeros",
    "-cl-denorms-are-zero",
    "-cl-strict-aliasing",
    "-cl-fast-relaxed-math",
)
# Options that hold anyway, or do not affect what the kernel computes.
QUIET = (
    *("-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2"),
    *("-cl-single-precision-constant", "-cl-kernel-arg-info", "-w"),
)
REASONS = {
    "-cl-opt-disable": "a program is built with the same options for all of its kernels",
    "-Werror": "warnings about kernels of others are not shown",
    "-I": "files that the kernel includes are not copied; put their text into the source",
    "-include": "files that the kernel includes are not copied; put their text into the source",
    "-U": "macros are defined for this layer alone; leave out what defines this one",
    "-cl-std=": "kernels are OpenCL C 1.2",
}


@dataclass(frozen=True)
class RefusedOption:
    """Compiler option that cannot be honoured, with the reason."""

    option: str
    why: str


@dataclass(frozen=True)
class Honoured:
    """Effects of compiler options: macros, permissions that nothing uses, and refusals."""

    defines: tuple[tuple[str, str], ...] = ()
    permissions: tuple[str, ...] = ()  # that nothing makes use of
    refused: tuple[RefusedOption, ...] = ()


def honoured(text: str) -> Honoured:
    """Effects of the compiler options in `text`."""
    defines, permissions, refused = [], [], []
    words = text.split()[::-1]
    while words:
        option = words.pop()
        if option == "-D" and words:
            option += words.pop()
        if option.startswith("-D") and option != "-D":
            name, equals, value = option[2:].partition("=")
            defines.append((name, value if equals else "1"))
        elif option in PERMISSIONS:
            permissions.append(option)
        elif option not in QUIET:
            why = next((w for begin, w in REASONS.items() if option.startswith(begin)), "")
            refused.append(
                RefusedOption(option, why or "nothing is known of it here; leave it out")
            )
    return Honoured(tuple(defines), tuple(permissions), tuple(refused))
