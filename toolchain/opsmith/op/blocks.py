"""Images cut into blocks of pixels, whose positions become images, and put together again.

Between cut and join, a filter sees pixels that were a block apart: that is how TensorFlow dilates.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Cut:
    """Cut of images into blocks, with block sizes along axes 1 and 2."""

    block: tuple[int, int]  # pixels
    before: tuple[int, int]  # pixels of zeros that come before an image, or go when it is put back
    after: tuple[int, int]
