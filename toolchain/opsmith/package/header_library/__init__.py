"""Conan recipe that all packages of headers share."""
