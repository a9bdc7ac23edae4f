"""Stage 2: turns source operators into ops by the rules of op folders."""
