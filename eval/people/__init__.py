"""Where a person at the keyboard takes part: chat, and branches from a turn."""
