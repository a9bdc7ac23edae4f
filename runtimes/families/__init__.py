"""What classes of ops share: optional, and open to ops outside."""
