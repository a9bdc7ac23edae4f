"""CMSIS-NN beside TensorFlow Lite Micro, whose reference kernels it stands in for."""
