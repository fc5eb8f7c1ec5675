"""Rubrics: what a judge rates, one YAML file a version."""
