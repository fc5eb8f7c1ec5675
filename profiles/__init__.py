"""The people: schema, loader, bounds, and the YAML files in `people/`. Imports `emoharbor.state` only."""
