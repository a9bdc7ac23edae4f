"""`python -m tests.golden.update`: write the emitted C++ anew, to be reviewed as a diff."""

import shutil

from tests.golden.golden_models import FOLDER, MODELS, emitted


def main() -> None:
    """Replace the folder of every model, but only after all are emitted, as an op may not load."""
    for name, files in [(name, emitted(name)) for name in MODELS]:
        shutil.rmtree(FOLDER / name, ignore_errors=True)
        (FOLDER / name).mkdir()
        for file, text in files.items():
            (FOLDER / name / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
