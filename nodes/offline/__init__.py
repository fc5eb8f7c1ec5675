"""Rule-based implementations of every role: a way to try, test and debug, never evidence about people."""
