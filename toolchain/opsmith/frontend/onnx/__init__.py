"""Front end of .onnx files, of float32 or quantised as QDQ, which needs only the package onnx."""
