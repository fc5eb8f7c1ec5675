"""The linter: rules in small functions, one table of them, one place that runs them."""
