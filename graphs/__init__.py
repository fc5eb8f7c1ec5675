"""The state machines: `episode.py` (person and supporter), `user.py` (the person alone), `studio.py` (for Studio).

`route.py` is the whole of the control flow; `seat.py` is the wrapper around every node.
"""
