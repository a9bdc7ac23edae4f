"""The contract between an op and its C++: what is generated from it, and all that is checked."""
