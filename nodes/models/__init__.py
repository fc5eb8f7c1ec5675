"""The one way to a chat endpoint. Start at `protocol.py` (what the nodes see) and `client.py` (what is sent)."""
