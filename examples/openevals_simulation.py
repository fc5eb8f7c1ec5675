"""A person of EmoHarbor as the user of openevals' multi-turn simulation.

    pip install 'emoharbor[harness]'
    python examples/openevals_simulation.py

The app is a chat model behind an OpenAI-compatible endpoint; here the bundled one, which only rehearses, so no key and
no network are needed. Put your own app, and a cast of models, in its place.
"""

from typing import Any

from openai import OpenAI
from openevals.simulators import run_multiturn_simulation

from emoharbor.eval.endpoint.server import endpoint_in_thread
from emoharbor.eval.harness import SimulatedUser
from emoharbor.eval.harness.for_openevals import OpenevalsUser


def make_app(url: str) -> Any:
    """Return an app as openevals wants it: it is given the person's message, and remembers the dialogue itself."""
    client, talks = OpenAI(base_url=url, api_key="none"), {}

    def app(message: dict[str, str], *, thread_id: str) -> dict[str, str]:
        talk = talks.setdefault(thread_id, [])
        talk.append({"role": "user", "content": message["content"]})
        reply = client.chat.completions.create(model="my-bot", messages=talk)
        talk.append({"role": "assistant", "content": reply.choices[0].message.content})
        return talk[-1]

    return app


def main() -> None:
    with endpoint_in_thread() as endpoint, SimulatedUser("P040", max_turns=6) as user:
        person = OpenevalsUser(user)
        result = run_multiturn_simulation(
            app=make_app(endpoint.url),
            user=person,
            stopping_condition=person.has_left,
            trajectory_evaluators=[person.rate],
            max_turns=6,
            thread_id="first",
        )
        for message in result["trajectory"]:
            print(f"{message['role']}: {message['content']}\n")
        for found in result["evaluator_results"]:
            print(f"{found['key']:16} {found['score']}")
        # beside the messages, and never in them: what the person felt
        end = user.state("first")
        print(f"\nended: {end.outcome or 'by openevals'}; trust {end.inner.trust}, distress {end.inner.distress}")


if __name__ == "__main__":
    main()
