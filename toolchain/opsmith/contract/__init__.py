"""Contract between an op and its C++: generated headers, and checks of registrations."""
