"""Peers' tables of comma-separated values, and the benchmark that sets any folder beside them."""

from pathlib import Path

import pytest

from tests.bench import zoo
from tests.bench.measured import Firmware
from tests.bench.peer_tables import read_tables
from tests.bench.peers import Unusable
from tests.bench.size import Size

TABLE = """\
# counted by hand
model,peer_m4_cycles,ours_m4_cycles,peer_ram,m55_instructions
a,400,1,1000,30
b,,1,"2,000",
"""
OF_ST = """\
Model,Core,Total RAM (KiB),Inference Time (ms),Frequency (MHz)
a.tflite,M7,1.5,2,400
"""
LAYERS = "model,node,op,output,m4_modelled_cycles\na,0,CONV_2D,1x2,100\na,1,ADD,1x2,20\n"


def written(folder: Path, **texts: str) -> list[Path]:
    files = [folder / f"{name}.csv" for name in texts]
    for file in files:
        file.write_text(texts[file.stem], encoding="utf-8")
    return files


def test_columns_are_figures_by_core(tmp_path: Path) -> None:
    found = read_tables(written(tmp_path, table=TABLE, st=OF_ST, layers=LAYERS))
    assert found["a"].figures == {
        "cortex-m4f": {"modelled_cycles": 400, "ram": 1000},
        "cortex-m55": {"instructions": 30},
        "cortex-m7d": {"ram": 1536, "modelled_cycles": 800_000},
    }
    assert found["b"].figures == {"cortex-m4f": {"ram": 2000}}
    layers = [
        (row.operator, row.figures["cortex-m4f"]["modelled_cycles"]) for row in found["a"].rows
    ]
    assert layers == [("CONV_2D", 100), ("ADD", 20)]


@pytest.mark.parametrize(("text", "reason"), [
    ("name,peer_ram\na,1\n", "no column is called 'model'"),
    ("model,peer_ram\na\n", "a row of 1 cells is below a head of 2"),
    ("model,peer_ram\na,many\n", "many"),
    ("model,peer_ram\na,-1\n", "-1 is not the count of anything"),
])  # fmt: skip
def test_a_mistake_is_named(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(Unusable, match=reason):
        read_tables(written(tmp_path, table=text))


def test_a_folder_is_set_beside_its_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path, table=TABLE)
    for name in "abc":
        (tmp_path / f"{name}.tflite").touch()

    def measure(name: str, *rest: object) -> Firmware:
        peers = rest[-1]
        assert isinstance(peers, dict)
        if name == "c":
            return Firmware(name, "cortex-m4f", "balanced", error="MDL010: no op")
        peer = peers[name].figures["cortex-m4f"]
        return Firmware(name, "cortex-m4f", "balanced", {"modelled_cycles": 100}, peer)

    monkeypatch.setattr(zoo, "measure", measure)
    monkeypatch.setattr(zoo, "size_of", lambda *_: Size(400, 50, 50, 10, 300))
    assert zoo.main([str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "time   geometric mean 0.250 of 1, worst 0.25 (a)" in said
    assert "ram    geometric mean 0.354 of 2, worst 0.50 (a)" in said
    assert "c                       no firmware: MDL010: no op" in said
    assert "3 models, 2 with a peer, 1 without firmware" in said
    monkeypatch.setattr(zoo, "measure", lambda *_: Firmware("c", "", "", error="no op"))
    assert zoo.main([str(tmp_path)]) == 2
