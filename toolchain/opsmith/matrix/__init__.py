"""`opsmith matrix`: many firmwares, built, run and compared with an earlier run."""
