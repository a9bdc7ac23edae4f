"""What nobody should do to builds, done on purpose and counted."""
