"""One run's folder: the manifest, the database, and what is exported from it."""
