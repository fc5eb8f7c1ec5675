"""`emoharbor schema`: the JSON schema of a run config."""


def schema() -> None:
    """Print the JSON schema of a run config, for editors."""
    from emoharbor.eval.cli.screen import put_json
    from emoharbor.eval.config import config_schema

    put_json(config_schema())
