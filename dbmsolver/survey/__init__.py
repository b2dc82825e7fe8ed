"""Surveys: one question about many deals, answered by many processes, kept in a table.

`run.py` is the driver: it gives jobs to workers, and their answers to the table. `plan.py` chooses
the next job. `row_progress.py` turns a deal's question into tasks, and their answers into a row.
`job_runner.py` carries a job out. It runs in this process (`in_process_pool.py`), in others
(`process_pool.py`, `worker.py`) or on a cluster (`cluster_pool.py`); `pool_choice.py` chooses.
`table.py` keeps every row, even if the process is killed, and `report.py` shows them.
"""
