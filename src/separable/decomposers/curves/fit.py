"""Smooth curves through clouds of points, found and accepted a contrario.

Points (x, y) with a standard deviation s of y. Some lie on one smooth curve, the others anywhere. A hypothesis is
a curve through a few points; of its residuals r_(1) <= r_(2) <= ..., k points agree within r_(k). If they were
scattered over a range W of y, so many would do so by chance with

    NFA = N C(N-p, k-p) C(k, p) (2 r_(k) / W)^(k-p)     (number of false alarms; p coefficients)

(Moisan and Stival 2004). The smallest NFA over all hypotheses and k says how many points belong to the curve and
how near they must lie. There is no tolerance to choose.

Curves are rational, y = P(u) / Q(u), u = x / scale, Q(0) = 1, with the coefficients in the order 1, u, -uy, u^2,
-u^2 y, ... A product has P of degree 0 and Q of degree 1, exactly; any other smooth monotone outer function is met
by a few coefficients more, to rounding.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import gammaln

if TYPE_CHECKING:
    from collections.abc import Iterator

    from separable.problems import Array, IntArray, Mask

SEED = 3  # points through which a hypothesis goes, and its coefficients
LEAST = 5  # points that make a curve
TRIALS = 120  # hypotheses in one search
TRIES = 3  # searches, where points and hypotheses are drawn from many
SAMPLE = 160  # points they are held against, at most
WINDOWS = (
    6,
    25,
    10**9,
)  # how far in the order of y the points of a seed may lie apart: a small block is found near
MOST = 11  # coefficients of a curve
DRIFT = 3.0  # times the noise of a point the curve may be uncertain where the point is held against it,
TELLING = 0.01  # or so much of the range of y, both together: then to be on it still means something
REACH = 2.0  # times as far in x as its other points may lie another point of a curve
TIGHT = 0.01  # of the range of y along a curve: how near its points must lie
LOG_NFA = math.log(1e-6)  # curves that chance may make, in one search
FLAT = 3e-3, 1e-5  # of the range of y: a second and third try see only curves that are met so well


class Curve(NamedTuple):
    """y as a rational function of x.

    `near`: how near to it the points lie, noise aside. `root`: a square root of the covariance of its
    coefficients. `spread`: of y, over all points that there were.
    """

    scale: float
    top: Array
    bottom: Array
    near: float
    root: Array
    spread: float = 0.0

    @property
    def coefficients(self) -> int:
        """How many there are."""
        return len(self.top) + len(self.bottom) - 1

    def __call__(self, x: Array) -> Array:
        """Values of y."""
        u = x / self.scale
        bottom = np.polynomial.polynomial.polyval(u, self.bottom)
        return np.polynomial.polynomial.polyval(u, self.top) / np.where(bottom == 0.0, np.nan, bottom)


def find(x: Array, y: Array, s: Array, z: float, rng: np.random.Generator) -> tuple[Curve, Mask] | None:
    """The most significant curve through some of the points, if there is one, and which points lie on it.

    Args:
        x, y, s: the points and the standard deviation of y, (N,) each.
        z: how many standard deviations a point may be off.
        rng: draws the hypotheses.

    >>> rng = np.random.default_rng(1)
    >>> x, y = rng.uniform(-1.0, 1.0, 60), rng.uniform(0.0, 2.0, 60)
    >>> y[:20] = 1.0 / (1.0 + 0.2 * x[:20])
    >>> curve, members = find(x, y, np.full(60, 1e-12), 8.0, rng)
    >>> np.flatnonzero(members).tolist() == list(range(20)), curve(np.array([0.5])).round(9)
    (True, array([0.90909091]))
    """
    if len(x) < LEAST:
        return None
    ordered = np.sort(y)
    q1, median, q9 = ordered[[len(y) // 10, len(y) // 2, -1 - len(y) // 10]].tolist()
    spread = q9 - q1
    if spread < 40.0 * np.median(s):  # all lie on one line; what they could do is to differ as much as from d' = d
        spread = max(abs(median - 1.0), 4.0 * float(s.min()))
    for _ in range(TRIES if len(x) > 2 * SAMPLE else 1):
        for members, radius in _search(x, y, s, spread, rng):
            found = _refine(x, y, s, z, spread, members, radius)
            if found is not None and _is_significant(x, y, s, z, spread, found) and _stands_out(x, y, s, z, found):
                return found
    return None


def tolerance(curve: Curve, x: Array, s: Array, z: float) -> Array:
    """How far a point may be off a curve: what the curve misses, or noise, its own and that of the coefficients.

    Negative where the curve is not known well enough to say.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        columns = _columns(x / curve.scale, curve(x), curve.coefficients)
        uncertain = np.square(columns @ curve.root).sum(axis=1)
        within = np.maximum(curve.near, z * np.sqrt(s * s + uncertain))
        known = (uncertain <= np.square(DRIFT * s)) | (within <= TELLING * curve.spread)
    return np.where(known, within, -1.0)


def _search(x: Array, y: Array, s: Array, spread: float, rng: np.random.Generator) -> Iterator[tuple[Mask, float]]:
    """The points that agree best with a curve through three of them, and how near to it they lie.

    Then, if that is asked for, those of the best hypothesis that they meet much more closely.
    """
    n = len(x)
    shown = np.arange(n) if n <= SAMPLE else rng.choice(n, SAMPLE, replace=False)
    scale = np.abs(x).max()
    u, v = x[shown] / scale, y[shown]
    seeds = _seeds(v, rng)
    tops, bottoms = _through(u[seeds], v[seeds])
    residuals = _residuals(tops, bottoms, u, v, s[shown])
    residuals.sort(axis=1)
    agree, ways = _ways(len(shown))
    radii = residuals[:, SEED:]
    log_nfa = ways + (agree - SEED) * np.log(np.minimum(1.0, (2.0 / spread) * radii))
    for cap in (np.inf, *FLAT):
        log_nfa[radii > cap * spread] = np.inf
        best, k = divmod(int(np.argmin(log_nfa)), len(agree))
        if log_nfa[best, k] >= LOG_NFA:
            return
        one = slice(best, best + 1)
        radius = float(radii[best, k])
        yield _residuals(tops[one], bottoms[one], x / scale, y, s)[0] <= radius, radius


def _residuals(tops: Array, bottoms: Array, u: Array, y: Array, s: Array) -> Array:
    """How far points are from hypotheses, a row each; noise may have brought them near."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        values = (tops @ np.stack([np.ones_like(u), u, u * u])) / (1.0 + bottoms[:, None] * u)
        away: Array = np.maximum(np.abs(values - y), 4.0 * s)
    away[~np.isfinite(away)] = np.inf
    return away


@cache
def _ways(n: int) -> tuple[IntArray, Array]:
    """How many of n points may agree, and the logarithm of how many sets of so many, with a seed, there are."""
    k = np.arange(SEED + 1, n + 1)
    return k, math.log(n) + _log_binomial(n - SEED, k - SEED) + _log_binomial(k, SEED)


def _seeds(y: Array, rng: np.random.Generator) -> IntArray:
    """Triples of points, near each other in the order of y: all there are, if they are few."""
    n = len(y)
    if math.comb(n, SEED) <= TRIALS:
        i, j, k = np.indices((n, n, n)).reshape(3, -1)
        return np.stack([i, j, k], axis=1)[(i < j) & (j < k)]
    order = np.argsort(y)
    first = rng.integers(0, n, (len(WINDOWS), TRIALS // len(WINDOWS)))
    seeds = []
    for window, start in zip(WINDOWS, first, strict=True):
        width = min(window, n - 1)
        left = np.clip(start - width // 2, 0, n - 1 - width)
        other = rng.integers(0, width, (2, len(start))) + left
        other += other >= start  # not the point itself
        seeds.append(np.stack([start, *other], axis=1))
    chosen = np.concatenate(seeds)
    triples: IntArray = order[chosen[chosen[:, 1] != chosen[:, 2]]]
    return triples


def _through(u: Array, y: Array) -> tuple[Array, Array]:
    """Curves through points (m, 3): parabolas, and hyperbolas (c0 + c1 u) / (1 + c2 u).

    By divided differences. On a hyperbola y + c2 u y = c0 + c1 u, so its second difference is zero.
    """

    def differences(v: Array) -> tuple[Array, Array]:
        first = (v[:, 1] - v[:, 0]) / (u[:, 1] - u[:, 0])
        other = (v[:, 2] - v[:, 1]) / (u[:, 2] - u[:, 1])
        return first, (other - first) / (u[:, 2] - u[:, 0])

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        y01, y012 = differences(y)
        parabolas = [y[:, 0] - u[:, 0] * (y01 - y012 * u[:, 1]), y01 - y012 * (u[:, 0] + u[:, 1]), y012]
        w = u * y
        w01, w012 = differences(w)
        c2 = -y012 / w012
        c1 = y01 + c2 * w01
        hyperbolas = [y[:, 0] + c2 * w[:, 0] - c1 * u[:, 0], c1, np.zeros_like(c1)]
    tops = np.concatenate([np.stack(parabolas, axis=1), np.stack(hyperbolas, axis=1)])
    return tops, np.concatenate([np.zeros_like(c2), c2])


def _log_binomial(n: IntArray | int, k: IntArray | int) -> Array:
    result: Array = gammaln(np.add(n, 1)) - gammaln(np.add(k, 1)) - gammaln(np.subtract(n, k) + 1)
    return result


def _refine(
    x: Array, y: Array, s: Array, z: float, spread: float, members: Mask, radius: float
) -> tuple[Curve, Mask] | None:
    """Fit a rational function to the members, take in what it meets and let go what it does not, a few times."""
    found = None
    for _ in range(6):
        curve = _rational(x[members], y[members], s[members], radius)
        if curve is None:
            return None
        curve = curve._replace(spread=spread)
        with np.errstate(invalid="ignore"):
            inside = np.abs(curve(x) - y) <= tolerance(curve, x, s, z)
        inside &= np.abs(x) <= REACH * np.abs(x[members]).max()
        if inside.sum() < LEAST:
            return None
        found = curve, inside
        if (inside == members).all():
            break
        members, radius = inside, np.inf
    return found


def _rational(x: Array, y: Array, s: Array, radius: float) -> Curve | None:
    """The rational function with as many coefficients as the points are worth; `near` from its residuals.

    A point that drags the curve to itself, whatever its y, is no witness: the curve is made without it.
    """
    curve = None
    for _ in range(3):
        if len(x) < LEAST - 1:
            return None
        curve, leverage = _least_squares(x, y, s, radius)
        if curve is None:
            return None
        drags = leverage > (1.0 + curve.coefficients / len(x)) / 2.0
        if not drags.any():
            break
        x, y, s = x[~drags], y[~drags], s[~drags]
    return curve


def _least_squares(x: Array, y: Array, s: Array, radius: float) -> tuple[Curve | None, Array]:
    """The rational function with the best score (BIC), by weighted linearised least squares; and leverages.

    One QR serves all numbers of coefficients p, since the columns of one are the first columns of the next.
    """
    count, scale = len(x), float(np.abs(x).max())
    sigma = np.maximum(s, np.median(s) * 1e-3)
    columns = _columns(x / scale, y, min(MOST, (count + 2) // 2))
    q, r = np.linalg.qr(columns / sigma[:, None])
    sizes = np.abs(np.diag(r))
    most = len(sizes) if (sizes > 1e-13 * sizes[0]).all() else int(np.argmin(sizes > 1e-13 * sizes[0]))
    if most < 2:
        return None, y
    p = np.arange(2, most + 1)
    root = np.linalg.inv(r[:most, :most])
    # the coefficients of each p in a column: R_p is a corner of R, and its inverse of the inverse
    coefficients = root @ np.where(np.arange(most)[:, None] < p, (q.T @ (y / sigma))[:most, None], 0.0)
    odd = columns[:, 1:most:2]  # u, u^2, ...
    below = 1.0 + odd[:, : len(coefficients[2::2])] @ coefficients[2::2]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        misses = np.abs((columns[:, :most] @ coefficients - y[:, None]) / below)
        chi = np.mean(np.square(misses / s[:, None]), axis=0) * count / (count - p)
    score = count * np.log(np.maximum(chi, 1e-6)) + 2.0 * p * math.log(count)
    score[~np.isfinite(score)] = np.inf
    best = int(np.argmin(score))
    if score[best] == np.inf:
        return None, y
    # what the noise does not explain is the curve's own miss
    excess = np.sort(np.where(misses[:, best] > 4.0 * s, misses[:, best], 0.0))
    near = min(3.0 * float(excess[int(0.99 * (count - 1))]), 2.0 * radius)
    c, k = coefficients[: p[best], best], int(p[best])
    top, bottom = np.concatenate([c[:1], c[1::2]]), np.concatenate([[1.0], c[2::2]])
    return Curve(scale, top, bottom, near, root[:k, :k]), np.square(q[:, :k]).sum(axis=1)


def _columns(u: Array, y: Array, p: int) -> Array:
    """1, u, -uy, u^2, -u^2 y, ..."""
    columns = [np.ones_like(u)]
    power = u
    while len(columns) < p:
        columns += [power, -power * y]
        power = power * u
    return np.stack(columns[:p], axis=1)


def _is_significant(x: Array, y: Array, s: Array, z: float, spread: float, found: tuple[Curve, Mask]) -> bool:
    """Whether the refined curve is no chance: the same count, every member with its own tolerance."""
    curve, members = found
    k, p = int(members.sum()), curve.coefficients
    if k <= p or curve.near > TIGHT * np.ptp(y[members]):  # a heap is no curve
        return False
    shares = np.log(np.minimum(1.0, 2.0 * tolerance(curve, x[members], s[members], z) / spread))
    ways = math.log(len(s)) + _log_binomial(len(s) - p, k - p) + _log_binomial(k, p)
    return float(ways + np.sort(shares)[p:].sum()) < LOG_NFA


def _stands_out(x: Array, y: Array, s: Array, z: float, found: tuple[Curve, Mask]) -> bool:
    """Whether there are few points just beside the curve: a bump in a cloud has ten times its members there."""
    curve, members = found
    with np.errstate(invalid="ignore"):
        away = np.abs(curve(x) - y)
    near = tolerance(curve, x, s, z)
    within_reach = np.abs(x) <= REACH * np.abs(x[members]).max()  # farther out hardly anything is known
    beside = (away > near) & (away <= 10.0 * near) & within_reach
    beside &= z * s <= max(curve.near, 10.0 * float(np.median(z * s)))
    return int(beside.sum()) <= 1 + 0.1 * int(members.sum())
