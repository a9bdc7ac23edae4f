"""The Conan recipe that all packages of headers have in common."""
