"""The command line: one file a command. Imports of each command are made when it runs, so that --help is quick."""
