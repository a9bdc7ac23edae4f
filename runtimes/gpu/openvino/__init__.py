"""Custom layers of OpenVINO's GPU plugin as ops."""
