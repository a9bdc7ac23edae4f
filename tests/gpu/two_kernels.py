"""Build the program of two_kernels.cc for this machine, and for one with an NVIDIA device:

    python -m tests.gpu.two_kernels FOLDER

makes FOLDER/two_kernels, which needs but the C library and a driver, and says how to run it.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KERNELS = HERE / "two_kernels.cl"
LIBCLC = Path("/usr/lib/clc/nvptx64--nvidiacl.bc")
ROUNDED = ("-cl-fp32-correctly-rounded-divide-sqrt", "-DOPSMITH_EXACT_DIVISION=1")
# As the build compiles and links firmware: by gcc, without the C++ library.
CXXFLAGS = """
    -x c++ -std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics -nostdinc++
    -Wall -Wextra -Wconversion -Wshadow -Werror
""".split()
BROKEN = '#line 7 "ops/relu/gpu.cl"\\n__kernel void f() { undeclared(); }'


def sums(rounds: int = 3) -> str:
    """Text that the program prints when its sums are right."""
    weights = (1, -2, 3, -4, 5, -6, 7, -8, 9, -128)
    lines = []
    for number in range(rounds):
        x = [(7 * i + number) % 251 for i in range(100)]
        y = [((v + 128) % 256 - 128) * weights[i % 10] + i for i, v in enumerate(x)]
        lines.append(f"{sum(y[:64])} {sum(y[64:])}\n")
    return "".join(lines)


def build(folder: Path, ptx: str | None, flags: Sequence[str] = ("-g1",)) -> Path:
    """Path of the executable of two_kernels.cc, once built."""
    given = "nullptr" if ptx is None else raw_literal(ptx)
    lines = [
        f"constexpr const char* source = {raw_literal(KERNELS.read_text(encoding='utf-8'))};",
        f'constexpr const char* broken = "{BROKEN.replace(chr(34), chr(92) + chr(34))}";',
        f"constexpr const char* ptx = {given};",
        f"constexpr size_t ptx_bytes = {len((ptx or '').encode())};",
    ]
    (folder / "kernels.inc").write_text("\n".join(lines), encoding="utf-8")
    executable = folder / "two_kernels"
    compiled(HERE / "two_kernels.cc", executable, *CXXFLAGS, f"-I{folder}", *flags)
    return executable


def compiled(source: Path, target: Path, *flags: str, compiler: str = "gcc") -> None:
    """Compile a source, and link unless `flags` say otherwise."""
    command = [compiler, *flags, f"-I{ROOT}", str(source), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def make_ptx(folder: Path, kernels: Path = KERNELS) -> str | None:
    """Text of kernels as PTX, or None without clang-15 and libclc-15."""
    clang, made = shutil.which("clang-15"), folder / "kernels.ptx"
    if clang is None or not LIBCLC.is_file():
        return None
    command = [clang, *"-x cl -cl-std=CL1.2 -target nvptx64--nvidiacl -O2 -S".split(), *ROUNDED]
    command += ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(LIBCLC)]
    subprocess.run([*command, str(kernels), "-o", str(made)], check=True)
    return made.read_text(encoding="utf-8")


def raw_literal(text: str) -> str:
    """A C++ literal of a text of any length that GCC takes."""
    return f'R"TEXT({text})TEXT"'


def main(folder: Path) -> None:
    """Build the program for a machine with an NVIDIA device, and print how to run it."""
    folder.mkdir(parents=True, exist_ok=True)
    ptx = make_ptx(folder)
    executable = build(folder, ptx, ["-O2"])
    print(
        f"{executable}: {'no PTX: clang-15 or libclc-15 is missing' if ptx is None else 'with PTX'}"
    )
    print("Run it there; each prints the sums, and the second also that both launches were timed:")
    for device in ("cuda", "opencl"):
        for argument in ("", " profile", " unaligned"):
            print(f"  OPSMITH_GPU_LOG=1 OPSMITH_DEVICE={device} ./{executable.name}{argument}")
    print(f"The sums:\n{sums()}", end="")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
