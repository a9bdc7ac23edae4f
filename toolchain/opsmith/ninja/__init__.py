"""Edit loop by ninja: the steps that run in it, and the records on which it relies."""
