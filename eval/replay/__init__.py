"""Recorded dialogues of real people through the same graph, and agreement with their own ratings."""
