"""The roles: one file an implementation with its prompt beside it.

`contract.py` says what a node is; `parts.py` is the table of implementations; `cast.py` builds the ones a run asks
for. Imports `emoharbor.state` and `emoharbor.profiles`.
"""
