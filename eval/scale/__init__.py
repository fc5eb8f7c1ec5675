"""One run on many machines: shards that run by themselves, and joining them."""
