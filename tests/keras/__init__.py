"""Keras networks as TensorFlow exports them: which build, and whether they equal LiteRT."""
