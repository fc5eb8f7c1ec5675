"""What each node and each model call was given and gave back: recorded locally always, sent to LangSmith when asked.

recorder.py listens and codec.py packs; trace.py is what is read back, by load.py from a run folder. langsmith.py
watches over live tracing, push.py uploads a recorded run, datasets.py the people.
"""
