"""What people see: an episode, a leaderboard, a graph."""
