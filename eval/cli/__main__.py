"""`python -m emoharbor.eval.cli`: the command line without its script."""

from emoharbor.eval.cli.main import main

main()
