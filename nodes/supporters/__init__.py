"""Ways to reach the system under test: a chat endpoint, a Runnable, a function, recorded lines."""
