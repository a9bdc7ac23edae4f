"""Programs that look for inputs that break the project, each a command."""
