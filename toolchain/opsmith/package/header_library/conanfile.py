"""Headers of Opsmith as a Conan package: those of an op, or what the kernels of all ops share.

Every package of the index has this recipe. What tells them apart is in conandata.yml.
"""

import os
from typing import Any

from conan import ConanFile
from conan.tools.files import copy


class Headers(ConanFile):  # type: ignore[misc]
    """The headers that all runtimes have, and those of one of them."""

    package_type = "header-library"
    exports_sources = "headers/*", "licenses/*"
    no_copy_source = True

    def init(self) -> None:
        """Take from conandata.yml what it says of this package."""
        data = self._data
        self.description, self.topics = data["title"], ("opsmith", "tflite", "firmware")
        if data["license"]:
            self.license = data["license"]
        if data["runtimes"]:
            self.options.update({"runtime": data["runtimes"]}, {"runtime": data["runtimes"][0]})

    @property
    def _data(self) -> Any:
        (data,) = self.conan_data["versions"].values()  # an index has one version of a package
        return data

    def requirements(self) -> None:
        """Ask for the packages whose headers these include, with the same runtime."""
        runtime = str(self.options.get_safe("runtime", ""))
        named = [*self._data["headers"]["any"], *self._data["headers"].get(runtime, ())]
        for reference in dict.fromkeys(named):
            options = {"runtime": runtime} if reference in self._data["ops"] else {}
            self.requires(reference, transitive_headers=True, options=options)
        for reference in self._data["libraries"]:
            self.requires(reference, transitive_headers=True, transitive_libs=True)

    def package(self) -> None:
        """Copy the headers; those of other runtimes stay behind."""
        runtime = str(self.options.get_safe("runtime", ""))
        for part in dict.fromkeys(("any", runtime)):
            source = os.path.join(self.export_sources_folder, "headers", part)
            copy(self, "*", source, os.path.join(self.package_folder, "include"))
        licenses = os.path.join(self.export_sources_folder, "licenses")
        copy(self, "*", licenses, os.path.join(self.package_folder, "licenses"))

    def package_info(self) -> None:
        """Headers are included as in a checkout, or as `<op>/<kernel>.h`."""
        root, named = self.package_folder, self._data["includes"]
        # CMake refuses folders that a package does not have.
        found = [each for each in named if os.path.isdir(os.path.join(root, each))]
        self.cpp_info.includedirs = found
        self.cpp_info.bindirs, self.cpp_info.libdirs = [], []
        self.cpp_info.cxxflags = self._data["flags"]
