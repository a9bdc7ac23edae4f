"""New ops of every template, with every type that it takes."""

from pathlib import Path

from opsmith.cli import main
from opsmith.ir.types import ALL
from opsmith.scaffold.spec import NUMBERS

NUMERIC = ",".join(dtype.short for dtype in NUMBERS)
EVERY = ",".join(dtype.short for dtype in ALL)
ATTRIBUTES = (
    "k:int b:bool=true f:float=0.25 text:str=it's raw:bytes=ab li:list[int]=1,2,3 fl:list[float] "
    "none:list[int]= flags:list[bool]=1,0 names:list[str] arr:array[i16]=1,2 af:array[f32]"
).split()


def new_op(*arguments: str) -> int:
    return main(["new-op", *arguments])


BUILTIN = ("conv_t", "curve_of", "most_of", "later")  # which LiteRT has


def write_all(folder: Path, *, alone: bool) -> None:
    """Write ops of every template, with every type it takes; the op of no template has four types.
    With `alone`, some are written with each type alone, rather than with one.
    """
    into = ("--into", str(folder))
    both = ("--inputs", f"x:{NUMERIC}", "--outputs", f"y:{NUMERIC}")
    assert new_op("soft", *both, "--template", "elementwise", *into) == 0
    assert new_op("average", *both, "--template", "reduction", *into) == 0
    every = ("--inputs", "x:i8,u8,i16,f32", "--outputs", "y:i8,u8,i16,f32")
    assert new_op("curve", *every, "--template", "unary", *into) == 0
    for dtype in ("f32", "i8", "u8", "i16") if alone else ("f32",):
        only = ("--inputs", f"x:{dtype}", "--outputs", f"y:{dtype}", "--template", "unary")
        assert new_op(f"curve_{dtype}", *only, *into) == 0
    numbers = "i8,u8,i16,u16,i32,u32,i64,u64,f32,f64"
    pair = ("--inputs", f"a:{numbers}", f"b:{numbers}", "--outputs", f"y:{numbers}")
    assert new_op("larger", *pair, "--template", "binary", *into) == 0
    moved = ("--inputs", f"x:{EVERY}", "--outputs", f"y:{EVERY}", "--template", "movement")
    assert new_op("backward", *moved, *into) == 0
    for dtype in ("f32", "i16") if alone else ("i16",):
        pair = ("--inputs", f"a:{dtype}", f"b:{dtype}", "--outputs", f"y:{dtype}")
        assert new_op(f"larger_{dtype}", *pair, "--template", "binary", *into) == 0
        moved = ("--inputs", f"x:{dtype}", "--outputs", f"y:{dtype}", "--template", "movement")
        assert new_op(f"backward_{dtype}", *moved, *into) == 0
    ordered = ("--inputs", f"a:{numbers}", f"b:{numbers}", "--outputs", "y:bool")
    assert new_op("exceeds", *ordered, "--template", "relation", *into) == 0
    several = ("--inputs", "a:i8,f32", "b:i8,f32", "c:i8,f32", "--outputs", "y:i8,f32")
    assert new_op("most", *several, "--template", "elementwise", *into) == 0
    pairs = (("i8", "f32"), ("f32", "u8"), ("u8", "i16"), ("i32", "i8"), ("f64", "f32"))
    for x, y in pairs if alone else pairs[:1]:
        mixed = ("--inputs", f"x:{x}", "--outputs", f"y:{y}", "--attribute", "gain:float=2")
        assert new_op(f"soft_{x}_{y}", *mixed, "--template", "elementwise", *into) == 0
        assert new_op(f"mean_{x}_{y}", *mixed, "--template", "reduction", *into) == 0
    types = EVERY if alone else "i8,i64,f32,bool"
    blank = ("--inputs", f"x:{types}", "w?:i32", "--outputs", f"y:{types}", "n:i32", "m:i8,f32")
    assert new_op("blank", *blank, "--attribute", *ATTRIBUTES, "--custom", 'A "b"\n', *into) == 0
    assert new_op("bare", *into) == 0
    builtin = (
        "--inputs",
        "shape:i32",
        "w:i8",
        "x:i8",
        "--attribute",
        "fused_activation_function:str=NONE",
    )
    assert new_op("conv_t", "--source", "tflite.LSTM", *builtin, *into) == 0
    function = ("--source", "tflite.HASHTABLE_LOOKUP", "--template", "unary", "--inputs", "x:i8")
    assert new_op("curve_of", *function, *into) == 0
    reduced = ("--source", "tflite.LSH_PROJECTION", "--template", "reduction")
    assert new_op("most_of", *reduced, *into) == 0
    later = ("--source", "tflite.HASHTABLE_FIND", "--template", "relation", "--outputs", "y:bool")
    assert new_op("later", *later, "--inputs", "a:f32", "b:f32", *into) == 0
