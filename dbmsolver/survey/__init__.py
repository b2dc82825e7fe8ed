"""Surveys: one question about many deals, answered by many processes, kept in a table.

`run.py` is the driver. `plan.py` says what is to be asked next, `inquiries.py` what the answers
mean, `performer.py` finds them, here or in the workers of `processes.py` and `clusters.py`.
`table.py` keeps the rows, whatever happens to the process, and `report.py` shows them.
"""
