"""Which libraries a linker's map names, and their licences."""

from pathlib import Path

from opsmith.record.facts import UNKNOWN, linked_libraries

MAP = """\
Archive member included to satisfy reference by file (symbol)

/usr/lib/gcc/some-cpu-elf/12.2.1/../../../some-cpu-elf/lib/hard/libc_nano.a(lib_a-memcpy.o)
                              obj/nodes.o (memcpy)
/usr/lib/gcc/some-cpu-elf/12.2.1/hard/libgcc.a(_muldf3.o)
                              obj/nodes.o (__muldf3)
/usr/lib/picolibc/some-cpu-elf/lib/release/libm.a(expf.o)
                              obj/nodes.o (expf)
packages/fast/lib/libfast.a(a.o)
                              obj/nodes.o (fast)

Discarded input sections

/usr/lib/gcc/some-cpu-elf/12.2.1/libunused.a(x.o)
LOAD /usr/lib/gcc/some-linux-gnu/12/libc.so
LOAD /lib/some-linux-gnu/libc.so.6
"""


def test_libraries_are_those_of_which_something_is_linked(tmp_path: Path) -> None:
    (tmp_path / "firmware.map").write_text(MAP)
    licence = tmp_path / "packages/fast/licenses/LICENSE"
    licence.parent.mkdir(parents=True)
    licence.write_text("Do what you like.")
    found = linked_libraries(tmp_path, {"lib/libother.a": "12" * 32})
    assert [(each.title, each.file, each.licence) for each in found] == [
        ("GCC's runtime library", "libgcc.a", "GPL-3.0-or-later WITH GCC-exception-3.1"),
        ("GNU C Library", "libc.so.6", "LGPL-2.1-or-later"),
        ("a library", "libfast.a", UNKNOWN),
        ("a library", "libother.a", UNKNOWN),
        ("newlib", "libc_nano.a", "LicenseRef-newlib"),
        ("picolibc", "libm.a", "LicenseRef-picolibc"),
    ]
    assert found[2].texts == (licence,)
    assert found[3].sha256 == "12" * 32
