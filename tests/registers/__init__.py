"""Tables of registers for runtimes/mcu/, from device headers and SVD files that vendors publish."""
