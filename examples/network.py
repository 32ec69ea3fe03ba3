"""The loss of a small neural network as a function of its weights: which weights does training couple?

The network predicts two numbers from two inputs. Each output has a tower of its own, three tanh units wide, with
13 weights. A third tower, of relu units, was left in by mistake: its output goes nowhere. The loss is the mean
squared error over 40 points, with weight decay.

What is found: two groups of 13, and 13 additive variables. So the towers can be trained apart, on two machines,
and nothing is lost; inside a tower every weight depends on every other, and nothing smaller can be split off; and
the third tower enters by its weight decay alone, each weight for itself, which is how a part that does nothing
looks from outside. It took a thousand evaluations, no gradient, and no look inside. With a common layer under both
towers, all their weights would have come out as one group.

`python examples/network.py` prints it and draws network.png.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import separable as sp

if TYPE_CHECKING:
    from collections.abc import Callable

    from separable.problems import Array

TOWER = 13  # 2 x 3 weights and 3 biases of the units, 3 weights and 1 bias of the output
BOUNDS = [(-2.0, 2.0)] * (3 * TOWER)

_data = np.random.default_rng(0)
INPUTS = _data.uniform(-1.0, 1.0, (40, 2))
TARGETS = np.stack([np.sin(3.0 * INPUTS[:, 0]) * INPUTS[:, 1], INPUTS[:, 0] ** 2 - INPUTS[:, 1]], axis=1)


def loss(weights: Array) -> Array:
    """Mean squared error and weight decay, for many networks (m, 39) at once."""
    first, second, idle = np.split(weights, 3, axis=1)
    outputs = np.stack([tower(first, np.tanh), tower(second, np.tanh)], axis=2)
    tower(idle, lambda a: np.maximum(a, 0.0))  # computed, and never used
    error = ((outputs - TARGETS) ** 2).mean(axis=(1, 2))
    decayed: Array = error + 1e-3 * (weights**2).sum(axis=1)
    return decayed


def tower(weights: Array, activation: Callable[[Array], Array]) -> Array:
    """The output of a tower at every input, (m, 40)."""
    into, bias, out, offset = weights[:, :6].reshape(-1, 2, 3), weights[:, 6:9], weights[:, 9:12], weights[:, 12:]
    hidden = activation(INPUTS @ into + bias[:, None, :])
    output: Array = np.einsum("mkj,mj->mk", hidden, out) + offset
    return output


if __name__ == "__main__":
    found = sp.decompose(loss, BOUNDS, vectorized=True)
    print(found)
    print("additive:", found.additive)
    for group in found.groups:
        print("a group: ", group)
    found.plot("network.png", title=f"a network of two towers, and an idle one: {found}")
