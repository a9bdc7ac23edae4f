"""SCons tools: the implementation of each build step."""
