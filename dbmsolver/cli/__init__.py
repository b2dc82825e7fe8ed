"""The command line: the only place that prints, exits, and knows click and rich.

`app` lists the commands and says how a run of one ends. Each module in `commands/` holds one group
of commands, thin functions over the library. The other modules are what commands share.
"""
