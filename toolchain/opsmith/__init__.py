"""Opsmith: turns a .tflite model into bit-exact firmware for one board, ahead of time."""
