"""Blind rating packs for people, and reading them back."""
