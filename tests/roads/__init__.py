"""One network by five exporters, and what each makes of it."""
