"""What a build step is, whoever runs it: seals, locks, programs."""
