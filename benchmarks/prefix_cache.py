"""How many of the prompt tokens come from a prefix cache such as OpenAI's: 15 turns, three roles, the judge.

The bundled endpoint caches by blocks of 128 tokens from 1,024 on, with the response schema before everything. The share
is over the calls of the simulated user and the judge; the supporter's calls are shown, but they are the system's under
test.

Usage: python benchmarks/prefix_cache.py [--episodes 8] [--turns 15] [--json]
"""

import argparse
import json
from typing import Any

from rig import ROLES, config, endpoint, play

TARGET = 0.75


def measure(episodes: int, turns: int) -> dict[str, Any]:
    """Return the figures."""
    with endpoint() as at:
        run, spent = play(at, config(at.url, episodes, turns, 4))
        stats = at.stats()
    count = len(run.planned())
    prompt, cached = stats["prompt_tokens"], stats["cached_tokens"]
    ours, hit = (sum(counts.get(role, 0) for role in ROLES) for counts in (prompt, cached))
    return {
        "episodes": count, "turns": turns, "calls_per_episode": spent.calls / count, "share": hit / ours,
        "target": TARGET, "prompt_per_episode": ours / count, "uncached_per_episode": (ours - hit) / count,
        "share_by_role": {role: cached.get(role, 0) / tokens for role, tokens in prompt.items()},
        "uncached_all_calls_per_episode": (sum(prompt.values()) - sum(cached.values())) / count,
    }  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--episodes", type=int, default=8)
    options.add_argument("--turns", type=int, default=15)
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    chosen = options.parse_args()
    found = measure(chosen.episodes, chosen.turns)
    print(json.dumps(found, indent=1) if chosen.json else table(found))


def table(found: dict[str, Any]) -> str:
    """Return the figures as text."""
    roles = ", ".join(f"{role} {share:.0%}" for role, share in found["share_by_role"].items())
    return "\n".join([
        f"from the cache: {found['share']:.1%} of the prompt tokens of user and judge, target {found['target']:.0%}",
        f"by role: {roles}",
        f"a dialogue: {found['prompt_per_episode']:,.0f} prompt tokens, {found['uncached_per_episode']:,.0f} uncached; "
        f"with the supporter's calls {found['uncached_all_calls_per_episode']:,.0f} uncached",
        f"{found['episodes']} episodes of {found['turns']} turns, {found['calls_per_episode']:.0f} calls each",
    ])  # fmt: skip


if __name__ == "__main__":
    main()
