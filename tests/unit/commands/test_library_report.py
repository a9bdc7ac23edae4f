"""A library's report.json says what programs link: archives of the package, then of the system."""

import json
from pathlib import Path

from opsmith.commands.library_report import main


def test_programs_link_archives_of_the_package_before_libraries_of_the_system(
    tmp_path: Path,
) -> None:
    archive, build = tmp_path / "library/lib/libkws.a", tmp_path
    archive.parent.mkdir(parents=True)
    for name in ("kws", "fast-math"):
        (archive.parent / f"lib{name}.a").write_bytes(b"!<arch>\n")
    (build / "model.json").write_text('{"name": "kws", "nodes": []}')
    (build / "libraries.txt").write_text("-lfast-math\n-ldl\n")
    object_file = tmp_path / "kws.o"
    object_file.write_bytes(Path("/bin/true").read_bytes())
    arguments = [f"--build={build}", f"--archive={archive}", f"--object={object_file}"]
    assert main([*arguments, "--compiler=gcc 12.2.0", "--toolchain-sha256=0"]) == 0
    found = json.loads((tmp_path / "library/report.json").read_text(encoding="utf-8"))["library"]
    assert found["archives"] == ["kws", "fast-math"]
    assert found["system_libraries"] == ["dl", "m"]
