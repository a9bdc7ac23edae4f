// Further sources of the kernels of classifier.
