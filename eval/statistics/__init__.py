"""From judgements to figures."""
