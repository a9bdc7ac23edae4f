"""Code that the kernels for Cortex-M share: the DSP extension, Helium and CMSIS-NN."""
