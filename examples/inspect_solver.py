"""An inspect_ai task: a model supports people of EmoHarbor, and each rates it as the person they are.

    pip install 'emoharbor[harness]'
    inspect eval examples/inspect_solver.py --model openai/gpt-4o-mini     # any model that inspect knows
    python examples/inspect_solver.py                                     # rehearsal: no key, no network

The people are rule-based here. Give `simulated_user` a cast and models, as in a run's config, for people that a model
plays.
"""

import sys
import tempfile

import inspect_ai
from inspect_ai import Task, task
from inspect_ai.model import get_model
from inspect_ai.solver import system_message

from emoharbor.eval.endpoint.server import endpoint_in_thread
from emoharbor.eval.harness.for_inspect import as_the_person, people_dataset, simulated_user

PEOPLE = ["P010", "P040"]


@task
def personal_support(max_turns: int = 6) -> Task:
    return Task(
        dataset=people_dataset(PEOPLE),
        solver=[system_message("Be there for the person you talk with."), simulated_user(PEOPLE, max_turns=max_turns)],
        scorer=as_the_person(),
    )


def main() -> None:
    with endpoint_in_thread() as endpoint, tempfile.TemporaryDirectory() as logs:
        model = get_model("openai-api/rehearsal/my-bot", base_url=endpoint.url, api_key="none")
        (log,) = inspect_ai.eval(personal_support(), model=model, display="none", log_dir=logs)
        if log.results is None:
            sys.exit(f"{log.status}: {log.error.message if log.error else ''}")
        print(f"{log.status}: {log.results.completed_samples} people")
        for score in log.results.scores:
            print(f"{score.name:16} {score.metrics['mean'].value:.2f}")


if __name__ == "__main__":
    main()
