"""Front end of .onnx files, of float32 or quantised as QDQ, by the package onnx alone."""
