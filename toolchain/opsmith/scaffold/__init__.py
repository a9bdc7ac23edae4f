"""New op folders: from a description, or for a model's unsupported operators."""
