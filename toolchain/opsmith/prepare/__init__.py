"""Makes a `.tflite` of a model by packages that another Python may have."""
