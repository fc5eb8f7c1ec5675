"""Two parts of our own for EmoHarbor: `think.py` for the simulated person, `agent.py` as the supporter under test."""
