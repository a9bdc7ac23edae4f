"""Names of several models in C, which are in one program."""

from pathlib import Path

from opsmith.commands.library import same_in_c

KWS = b"void kws_invoke(void);\nint8_t* kws_input_%s(void);  // kws_input_invoke\n"
INPUT = b"void kws_input_invoke(void);\nvoid kws_input_reset(void);\n"


def test_a_name_of_two_models_is_an_error() -> None:
    (problem,) = same_in_c({"kws": KWS % b"reset", "kws_input": INPUT}, Path("build"))
    assert problem.code == "BLD042"
    assert problem.what == "kws_input_reset would be of both kws and kws_input in C"


def test_names_that_begin_alike_are_none() -> None:
    assert not [*same_in_c({"kws": KWS % b"x", "kws_input": INPUT}, Path("build"))]
