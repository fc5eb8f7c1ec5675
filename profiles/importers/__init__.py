"""People from other sources: one file a source, one table of them, nothing invented."""
