"""The simulated user inside other harnesses, and the judge for dialogues that were held there."""

from emoharbor.eval.harness.rate import rate
from emoharbor.eval.harness.user import Said, SimulatedUser

__all__ = ["Said", "SimulatedUser", "rate"]
