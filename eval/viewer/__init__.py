"""`emoharbor view`: the record of runs as pages, served on this machine only."""
