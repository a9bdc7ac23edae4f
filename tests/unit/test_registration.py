"""The files of an op folder: all but those that no link leads to."""

from pathlib import Path

from opsmith.registration import all_names


def test_links_in_circles_and_to_nothing_hide_no_file(tmp_path: Path) -> None:
    for name in ("a", "m", "z"):
        (tmp_path / f"{name}.py").touch()
        (tmp_path / f"{name}_circle").symlink_to(f"{name}_circle")
        (tmp_path / f"{name}_gone").symlink_to("nowhere")
        (tmp_path / f"{name}_below").symlink_to("a.py/below")
        (tmp_path / f"{name}_linked.h").symlink_to("a.py")
    found = [Path(name).name for name in all_names(tmp_path)]
    assert found == [f"{name}{end}" for name in "amz" for end in (".py", "_linked.h")]
