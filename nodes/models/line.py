"""A model and the endpoint it is behind."""

from dataclasses import dataclass
from typing import TypeVar

from emoharbor.nodes.models.chat import EndpointChat
from emoharbor.nodes.models.endpoint import Endpoint, Learned
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.state.errors import ModelFault, Unauthorised

F = TypeVar("F", bound=ModelFault)


@dataclass(frozen=True, slots=True)
class Line:
    """A model and the endpoint it is behind."""

    settings: ModelSettings
    endpoint: Endpoint
    chat: EndpointChat

    @property
    def learned(self) -> Learned:
        """What is known about the model."""
        return self.endpoint.learned(self.settings.model)

    def placed(self, fault: F) -> F:
        """Say in a fault's message which model and endpoint it comes from."""
        hint = ""
        if isinstance(fault, Unauthorised):
            name = self.endpoint.api_key_env
            hint = f"; put a valid key into {name}" if name else "; name the variable that holds the key in api_key_env"
        fault.args = (f"{self.settings.model} at {self.endpoint.url}: {fault}{hint}",)
        return fault
