"""Campaigns: methods x problems x repeats, described in a file, run by many, killed and taken up again at will.

`spec` reads the file and lists the cells, one for each run; `store` keeps one record for each finished run;
`execute` runs the cells that have none.

>>> from separable.campaign import parse
>>> campaign = parse('''
... name = "tiny"
... repeats = 2
... budget = 1e4
... [[problems]]
... suite = "bms"
... functions = "1-3"
... dims = [200]
... [methods.csg]
... [methods.random]
... decomposer = "csg"
... optimizer = "de"
... ''')
>>> len(campaign.cells), campaign.cells[0].name
(12, 'bms-f1-d200-i0-csg-r0')
"""

from separable.campaign.execute import Progress, processes, run
from separable.campaign.spec import Campaign, Cell, Method, load, parse, shipped
from separable.campaign.store import Store

__all__ = ["Campaign", "Cell", "Method", "Progress", "Store", "load", "parse", "processes", "run", "shipped"]
