"""Networks as litert-torch and onnx2tf export them: which build, and whether they equal LiteRT."""
