"""Folder that `library` makes: a model for another user's build, without Opsmith."""
