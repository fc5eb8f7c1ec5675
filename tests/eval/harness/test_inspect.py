"""An inspect_ai evaluation in which a model supports people of ours, and they rate it.

It runs in a process of its own: inspect_ai takes seconds to import, and warns.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
SCRIPT = """
import json, sys
import inspect_ai
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import system_message
from emoharbor.eval.harness.for_inspect import as_the_person, people_dataset, simulated_user

def held(texts, folder):
    task = inspect_ai.Task(
        dataset=people_dataset(["P010", "P040"]), scorer=as_the_person(),
        solver=[system_message("Be kind."), simulated_user(["P010", "P040"], max_turns=3)],
    )
    outputs = [ModelOutput.from_content("m", text) for text in texts]
    for output in outputs:
        output.usage = ModelUsage()  # without one it is estimated, which downloads a tokenizer
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    (log,) = inspect_ai.eval(task, model=model, display="none", log_dir=folder, max_samples=1)
    return log

talks = held(["That sounds hard. What would help you most?"] * 6, sys.argv[1])
silent = held(["Go on.", "", "Go on.", ""], sys.argv[1])
print(json.dumps({
    "status": talks.status, "means": {score.name: score.metrics["mean"].value for score in talks.results.scores},
    "samples": [
        {
            "profile": sample.metadata["profile"], "roles": [message.role for message in sample.messages],
            "messages": str(sample.messages), **sample.store["emoharbor"],
        }
        for sample in talks.samples
    ],
    "silent": [
        [sample.store["emoharbor"]["outcome"], sample.scores["as_the_person"].reason] for sample in silent.samples
    ],
}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("inspect")
    command = [sys.executable, "-c", SCRIPT, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_people_talk_with_the_model_and_rate_it(found: Any) -> None:
    assert found["status"] == "success"
    assert {sample["profile"] for sample in found["samples"]} == {"P010", "P040"}
    for sample in found["samples"]:
        assert sample["roles"] == ["system", *["user", "assistant"] * 3]
        assert sample["outcome"] == "turn_cap"
        assert sample["judgement"]["with_log"]
        assert sample["inner_world"]["thought"]["monologue"] not in sample["messages"]
    scores = [sample["judgement"]["scores"] for sample in found["samples"]]
    assert found["means"]["overall"] == pytest.approx(sum(score["overall"] for score in scores) / 2)
    assert {"tailored", "empathy", "need_fit"} <= found["means"].keys()


def test_a_model_that_says_nothing_has_failed_the_person_and_is_not_scored(found: Any) -> None:
    assert found["silent"] == [["supporter_empty", "no_response"]] * 2


def test_a_missing_package_is_one_line_that_names_the_extra(tmp_path: Path) -> None:
    code = "import sys; sys.modules['inspect_ai'] = None\nfrom emoharbor.eval.harness.for_inspect import simulated_user"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)

    assert done.returncode == 1
    assert "inspect_ai is not installed; it comes with: pip install 'emoharbor[harness]'" in done.stderr
