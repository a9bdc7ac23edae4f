"""The graph: frozen values, their verification and their text form."""
