"""A chat endpoint on loopback that plays a scenario: for tests and for rehearsing a paid run."""
