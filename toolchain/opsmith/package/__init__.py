"""The folder that `library` makes: a model for somebody else's build, without Opsmith."""
