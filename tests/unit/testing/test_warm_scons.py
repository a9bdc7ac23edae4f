"""Tests of the servers that have imported the Python of a project."""

import os
from pathlib import Path

from opsmith.testing.warm_scons import WARMED, _Servers


def test_a_server_imports_a_toolchain_that_stays_and_none_that_is_edited(tmp_path: Path) -> None:
    core = tmp_path / "runtimes" / "core.toml"
    core.parent.mkdir()
    core.write_text("a = 1")
    kept, servers = core.stat(), _Servers()
    plain = [servers.of(tmp_path) for _ in range(WARMED)]
    warm = servers.of(tmp_path)
    assert plain[0] is plain[-1] is not warm
    core.write_text("a = 22")
    assert servers.of(tmp_path) is plain[0]
    core.write_text("a = 1")
    os.utime(core, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert servers.of(tmp_path) is warm
