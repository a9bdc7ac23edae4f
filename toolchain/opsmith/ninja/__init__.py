"""The edit loop by ninja: what runs there, and the records that it relies on."""
