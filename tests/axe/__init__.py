"""axe-core, which says what a reader with a screen reader or a keyboard lacks of a page."""
