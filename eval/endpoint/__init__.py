"""A chat endpoint on this machine that plays a scenario, to rehearse a run before it is paid for.

Start at `scenario.py` (what can be played) and `server.py` (`start_endpoint`, `endpoint_in_thread`, `serve`).
"""
