"""One YAML file a person, named by id."""
