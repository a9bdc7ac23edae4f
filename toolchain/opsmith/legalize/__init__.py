"""Stage 2: source names into op names, as the op folders say."""
