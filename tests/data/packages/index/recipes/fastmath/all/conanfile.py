"""A small library in C, compiled by the compiler that the profile names."""

import os

from conan import ConanFile
from conan.tools.files import copy


class Fastmath(ConanFile):  # type: ignore[misc]
    """Arithmetic that saturates."""

    license = "MIT"
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "src/*", "LICENSE"

    def build(self) -> None:
        """Compile the one source into an archive."""
        flags = " ".join(self.conf.get("tools.build:cflags", default=[], check_type=list))
        source = os.path.join(self.source_folder, "src")
        self.run(f"${{CC:-gcc}} -g {flags} -O2 -I{source} -c {source}/fastmath.c")
        self.run("${AR:-ar} rcsD libfastmath.a fastmath.o")

    def package(self) -> None:
        """Header, archive and licence."""
        source, target = self.source_folder, self.package_folder
        copy(self, "*.h", os.path.join(source, "src"), os.path.join(target, "include"))
        copy(self, "*.a", self.build_folder, os.path.join(target, "lib"))
        copy(self, "LICENSE", source, os.path.join(target, "licenses"))

    def package_info(self) -> None:
        """The library, and what its header is compiled with."""
        self.cpp_info.libs = ["fastmath"]
        self.cpp_info.defines = ["FASTMATH_BIAS=5"]
