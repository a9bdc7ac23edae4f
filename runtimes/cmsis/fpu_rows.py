"""Code that kernels of float32 share: fpu_rows.h."""

PUT_BLOCKS = {"fpu::put_blocks": 2190}
