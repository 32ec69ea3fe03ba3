"""A machine works if all its parts work: which of its settings can be tuned alone, and which only together?

The machine runs for a season and earns while it works; 28 settings decide how likely that is and what it costs.
Its reliability is the product of those of its subsystems; the function is the cost of a season less the earnings.

    stocks    of six spare parts: too few must be waited for, too many lie about         a cost each
    burn-in   hours for each of eight boards: find early failures, but wear the rest     a factor each
    shims     under four feet: their errors add up as squares, to the tilt of the frame  one factor
    bearings  three, clearance and viscosity: the film must be neither thin nor thick    a factor each
    cooling   flow, air, area, coolant: what counts is the heat they carry together      one factor

What is found: the stocks are additive, the burn-in times multiplicative, the shims composite; each bearing is a
group of two, the cooling a group of four. So 18 of the 28 settings can be tuned one by one, in any order, by
whoever is responsible for them, whatever the others do; a bearing needs its two settings varied together; and only
the cooling is a problem in four dimensions. Nobody told the method where a subsystem begins: all it saw were 28
numbers going in and one coming out.

`python examples/reliability.py` prints it and draws reliability.png.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import separable as sp

if TYPE_CHECKING:
    from separable.problems import Array

STOCKS, BURN_IN, SHIMS, BEARINGS, COOLING = (
    range(6),
    range(6, 14),
    range(14, 18),
    range(18, 24),
    range(24, 28),
)
BOUNDS = [(0.0, 10.0)] * 28  # every setting on a scale of its own from 0 to 10

NEEDED = np.array([2.0, 3.5, 5.0, 1.2, 7.0, 4.4])
WEAR = np.array([0.2, 0.5, 0.3, 0.8, 0.4, 0.6, 0.25, 0.7])
LEVEL = np.array([3.1, 6.2, 4.7, 8.0])
FILM = np.array([2.0, 1.0, 3.0])


def season(x: Array) -> float:
    """The cost of a season less what is earned."""
    stocks = float(((x[STOCKS] - NEEDED) ** 2).sum())
    reliability = burn_in(x[BURN_IN]) * alignment(x[SHIMS]) * bearings(x[BEARINGS]) * cooling(x[COOLING])
    return stocks - 1000.0 * reliability


def burn_in(hours: Array) -> float:
    """A board survives its early failures, which die out, and its wear, which grows."""
    return float(np.exp(-(0.2 * np.exp(-hours) + 0.01 * WEAR * hours)).prod())


def alignment(shims: Array) -> float:
    """The four feet tilt the frame together."""
    return float(np.exp(-0.05 * np.sqrt(((shims - LEVEL) ** 2).sum())))


def bearings(x: Array) -> float:
    """The film of each bearing follows from its clearance and the viscosity of its oil."""
    clearance, viscosity = 0.5 + x.reshape(3, 2).T / 5.0
    film = viscosity / clearance**2
    friction = 0.02 * viscosity
    return float(np.exp(-0.05 * np.log(film / FILM) ** 2 - friction).prod())


def cooling(x: Array) -> float:
    """Flow, air, area and coolant carry the heat together, and the pump and the fan make some."""
    flow, air, area, coolant = 0.5 + x / 10.0
    carried = 2.0 * flow * coolant * (1.0 - np.exp(-area * air / flow))
    heat = 0.6 + 0.2 * flow**3 + 0.3 * air**2
    return float(np.exp(-(np.log(heat / carried) ** 2) - 0.1 * area * coolant))


if __name__ == "__main__":
    found = sp.decompose(season, BOUNDS)
    print(found)
    for kind in ("additive", "multiplicative", "composite", "groups"):
        print(f"{kind:>15}: {getattr(found, kind)}")
    found.plot("reliability.png", title=f"a machine of five subsystems: {found}")
