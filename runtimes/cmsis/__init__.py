"""Code that kernels for Cortex-M share: for the DSP extension, Helium and CMSIS-NN."""
