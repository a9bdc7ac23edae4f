"""The `.tflite` format: reading its tables from untrusted bytes, and writing model files."""
