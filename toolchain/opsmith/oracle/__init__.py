"""Reference values for outputs: LiteRT's, or those of the ops' numpy models."""
