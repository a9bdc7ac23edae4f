"""Values that outputs are compared with: LiteRT's, or those of the ops' numpy models."""
