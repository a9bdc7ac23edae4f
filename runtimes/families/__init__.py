"""Classes of ops: optional, and open to ops outside."""
