"""Finds which variables of a black-box function belong together.

Start here:
    `decompose(fun, bounds)`         which variables are separable, and which groups interact
    `minimize(fun, bounds, budget)`  a point with a small value, found part by part
    `problem("bms/f10")`             a benchmark problem whose structure is known

>>> import numpy as np
>>> import separable as sp
>>> def fun(x):
...     return x[0] + x[1] * x[2] + np.sqrt(x[3] + x[4]) + (x[5] - x[6] - 1) ** 2
>>> d = sp.decompose(fun, [(1, 5)] * 7)
>>> d.additive, d.multiplicative, d.composite, d.groups
((0,), (1, 2), (3, 4), ((5, 6),))
"""

from separable.decomposers import decompose
from separable.decomposition import Accuracy, Block, Decomposition, Stage
from separable.errors import BadInput, FunctionError, JournalError, NoisyFunction
from separable.evaluator import Evaluator
from separable.minimize import minimize
from separable.problems import Problem
from separable.suites import problem

__version__ = "0.1.0"

__all__ = [
    "Accuracy",
    "BadInput",
    "Block",
    "Decomposition",
    "Evaluator",
    "FunctionError",
    "JournalError",
    "NoisyFunction",
    "Problem",
    "Stage",
    "decompose",
    "minimize",
    "problem",
]
