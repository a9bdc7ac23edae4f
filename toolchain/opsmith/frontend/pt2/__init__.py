"""Front end of .pt2 files, the archives of torch.export, by zipfile, JSON and numpy alone."""
