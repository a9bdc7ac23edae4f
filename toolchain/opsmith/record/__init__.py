"""The record of a firmware, in the forms of others: provenance, bills of materials, notices."""
