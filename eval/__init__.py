"""From one episode to a leaderboard: config, runs, store, statistics, reports, command line."""
