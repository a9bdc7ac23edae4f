"""Record of a firmware in standard formats: provenance, bills of materials, notices."""
