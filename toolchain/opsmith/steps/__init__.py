"""Build steps, for SCons and ninja: seals, locks, programs."""
