"""New op folders: from a description, or from what a model needs."""
