"""A decomposition: a partition, how it is compared with the truth, how it is stored and drawn."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separable as sp
from separable.decomposition import Decomposition, Stage


@st.composite
def decompositions(draw, dim=None):
    """Any decomposition at all of a few variables."""
    size = dim or draw(st.integers(1, 9))
    label = draw(st.lists(st.integers(0, 6), min_size=size, max_size=size))
    part = {k: [i for i in range(size) if label[i] == k] for k in range(7)}
    return Decomposition(
        size,
        additive=part[0],
        multiplicative=part[1],
        composite=part[2],
        groups=[part[k] for k in (3, 4, 5) if part[k]],
        undecided=part[6],
        evaluations=draw(st.integers(0, 99)),
        stages=(Stage("one", 2, 3, 0.5),),
        close_calls=part[0],
        method="m",
    )


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        ({"additive": [0, 1], "composite": [1, 2]}, "more than once 1"),
        ({"additive": [0, 1], "groups": [[2], [2]]}, "more than once 2"),
        ({"additive": [0, 1]}, "missing 2"),
        ({}, "missing 0, 1, 2"),
        ({"additive": [0, 1, 2, 3]}, "not among them 3"),
        ({"additive": [-1, 0, 1, 2]}, "not among them -1"),
        ({"additive": [0, 1, 2], "groups": [[]]}, "empty group"),
        ({"additive": [0, 1, 2.5]}, "whole variable numbers"),
        ({"additive": [0, 1, True]}, "whole variable numbers"),
        ({"additive": ["a"]}, "expected variable numbers"),
        ({"additive": 3}, "expected variable numbers"),
    ],
)
def test_what_is_not_a_partition_is_refused_and_the_variable_named(parts, complaint):
    with pytest.raises(sp.BadInput, match=complaint):
        Decomposition(3, **parts)


@given(decompositions())
def test_it_survives_json(d):
    assert Decomposition.from_dict(json.loads(json.dumps(d.to_dict()))) == d


@pytest.mark.parametrize(
    "data", [{}, {"format": 99}, {"format": 1}, {"format": 1, "dim": 1, "additive": [0], "colour": "red"}]
)
def test_what_is_no_decomposition_is_not_read_as_one(data):
    with pytest.raises(sp.BadInput, match="not a decomposition"):
        Decomposition.from_dict(data)


@given(decompositions())
def test_the_truth_itself_is_perfectly_accurate(d):
    accuracy = d.accuracy(d)
    assert accuracy.separable == (1.0 if d.separable else None)
    assert accuracy.nonseparable == (1.0 if d.groups else None)


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(decompositions(n), decompositions(n))))
def test_na_is_the_best_pairing_of_found_and_true_groups(pair):
    found, truth = pair
    accuracy = found.accuracy(truth).nonseparable
    if not truth.groups:
        assert accuracy is None
        return
    slots = [set(group) for group in found.groups] + [set()] * len(truth.groups)
    best = max(
        sum(len(set(true) & one) for true, one in zip(truth.groups, chosen, strict=True))
        for chosen in itertools.permutations(slots, len(truth.groups))
    )
    assert accuracy == pytest.approx(best / sum(map(len, truth.groups)))


@given(st.permutations(range(8)), st.integers(0, 5))
def test_accuracy_does_not_depend_on_how_variables_are_named(names, seed):
    rng = np.random.default_rng(seed)

    def some():
        label = rng.integers(0, 4, 8)
        return [np.flatnonzero(label == k).tolist() for k in range(4)]

    def build(parts, name):
        separable, *groups = [[name[i] for i in part] for part in parts]
        return Decomposition(8, additive=separable, groups=[group for group in groups if group])

    truth, found, same = some(), some(), range(8)
    renamed = build(found, names).accuracy(build(truth, names))
    assert renamed == build(found, same).accuracy(build(truth, same))


def test_separable_variables_count_whatever_their_kind():
    truth = Decomposition(4, additive=[0, 1], groups=[[2, 3]])
    found = Decomposition(4, composite=[0], multiplicative=[1], groups=[[2], [3]])
    assert found.accuracy(truth) == (1.0, 0.5)


def test_the_truth_of_another_dimension_is_refused():
    with pytest.raises(sp.BadInput, match="3 variables, this decomposition 2"):
        Decomposition(2, additive=[0, 1]).accuracy(Decomposition(3, additive=[0, 1, 2]))


def test_it_cannot_be_changed():
    d = Decomposition(2, additive=np.array([1, 0]))
    assert d.additive == (0, 1)
    assert all(type(i) is int for i in d.additive)
    with pytest.raises(AttributeError):
        d.additive = ()


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_it_draws_itself(tmp_path, ending):
    d = sp.problem("bms/f12", dim=200).truth
    d.plot(tmp_path / f"s.{ending}")
    assert (tmp_path / f"s.{ending}").stat().st_size > 5_000


@given(decompositions())
def test_any_decomposition_can_be_drawn(d):
    figure = d.plot()
    assert figure.get_suptitle().replace("\n", " ") == str(d)  # a long one is wrapped


@pytest.mark.parametrize("name", ["s.xyz", "s", "nowhere/s.png"])
def test_a_picture_that_cannot_be_written_is_refused(tmp_path, name):
    with pytest.raises(sp.BadInput, match="cannot write a picture"):
        Decomposition(1, additive=[0]).plot(tmp_path / name)
