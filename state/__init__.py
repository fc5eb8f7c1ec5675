"""What an episode is made of: inner world, dialogue, outcomes, verdicts, errors. Imports nothing of ours.

Start at `episode.py` (the whole state), `inner_world.py` (what the person feels and thinks now) and
`updates.py` (what a node may hand back).
"""
