"""Build steps, whoever runs them: seals, locks, programs."""
