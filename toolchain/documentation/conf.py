"""Settings of Sphinx for the project's pages."""

project = "Opsmith"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Opsmith"
html_show_sphinx = False
myst_heading_anchors = 4  # as GitHub makes them
myst_enable_extensions = ["html_image"]
# A code block may be of a language without a lexer, or a part of a program.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
