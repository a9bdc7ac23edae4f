"""One float network by every recipe of ai-edge-quantizer."""
