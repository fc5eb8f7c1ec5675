"""The people as a LangSmith dataset: an example a person, whose input starts the episode graph."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from emoharbor.eval.traces.remote import langsmith_client


@dataclass(frozen=True, slots=True)
class PushedPeople:
    """What was sent: the dataset's name, and how many people were new or had changed."""

    dataset: str
    new: int
    changed: int


def push_people(people: Mapping[str, Mapping[str, object]], name: str) -> PushedPeople:
    """Make the dataset, or bring it up to date.

    An example's inputs are `{"profile_id": ...}`. The whole profile stays here.

    Args:
        people: by id, a few words about each, for the example's metadata.
        name: of the dataset.

    Raises:
        ConfigError: when LangSmith cannot be reached or refuses.
    """
    with langsmith_client() as client:
        if client.has_dataset(dataset_name=name):
            dataset = client.read_dataset(dataset_name=name)
        else:
            dataset = client.create_dataset(name, description="People of EmoHarbor, by id")
        there = {
            (example.inputs or {}).get("profile_id"): example for example in client.list_examples(dataset_id=dataset.id)
        }
        new = [who for who in people if who not in there]
        if new:
            examples = [
                {"id": uuid.uuid5(dataset.id, who), "inputs": {"profile_id": who}, "metadata": dict(people[who])}
                for who in new
            ]
            client.create_examples(dataset_id=dataset.id, examples=examples)
        changed = 0
        for who, told in people.items():
            example = there.get(who)
            if example is not None and not told.items() <= (example.metadata or {}).items():
                client.update_example(example.id, inputs=example.inputs, metadata=dict(told), dataset_id=dataset.id)
                changed += 1
        return PushedPeople(name, len(new), changed)
