"""Front end of .pt2 files, the archives of torch.export, using only zipfile, JSON and numpy."""
