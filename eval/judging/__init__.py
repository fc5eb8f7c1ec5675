"""Rating stored episodes again: more judges, more repeats, and as another person."""
