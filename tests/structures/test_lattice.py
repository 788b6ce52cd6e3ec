"""Every verb of the alignment lattice against enumeration."""

import itertools
import time

import numpy as np
import pytest

from skstruct.structures import Lattice, LatticePotentials, _lattice
from tests import _oracles as oracle

SOURCE = np.array([3, 0, 2, 1, 4, 2, 0])
TARGET = np.array([2, 3, 0, 4, 3, 2, 0])
N_KINDS, M = 5, 2


def _offsets(lengths):
    return np.concatenate([[0], np.cumsum(lengths)])


class Case:
    """A lattice, its potentials, and by pair what enumeration finds."""

    def __init__(
        self,
        seed,
        *,
        reverse,
        local,
        null=True,
        factor=True,
        groups=1,
        scale=1.0,
        forbidden=0.0,
        nodes=True,
    ):
        rng = np.random.default_rng(seed)
        states, chain = (TARGET, SOURCE) if reverse else (SOURCE, TARGET)
        C, T = (SOURCE * TARGET).sum(), chain.sum()
        self.index = rng.integers(0, N_KINDS, C)
        self.group = rng.integers(0, groups, states.sum())

        def table(*shape):
            values = scale * rng.normal(size=shape)
            values[rng.uniform(size=shape) < forbidden] = -np.inf
            return values

        jump = table(groups, 2 * M + 1)
        self.p = LatticePotentials(
            table(N_KINDS) if nodes else None,
            table(T) if null else None,
            jump if groups > 1 else jump[0],
            rng.uniform(0.1, 1, C).astype(np.float32) if factor else None,
        )
        self.lattice = Lattice(
            SOURCE,
            TARGET,
            self.index,
            reverse=reverse,
            local=local,
            jump_group=self.group,
        )
        self.reverse = reverse
        self.cells, self.tokens = _offsets(SOURCE * TARGET), _offsets(chain)
        self.states = _offsets(states)
        self.chain = chain
        self.paths = [self._paths(n, jump, local) for n in range(len(SOURCE))]

    def by_chain(self, n, values):
        own = values[self.cells[n] : self.cells[n + 1]].reshape(SOURCE[n], TARGET[n])
        return own if self.reverse else own.T

    def _paths(self, n, jump, local):
        value = np.zeros(self.cells[-1])
        if self.p.node is not None:
            value = value + self.p.node[self.index]
        if self.p.factor is not None:
            value = value + np.log(self.p.factor.astype(float))
        null = self.p.null
        return oracle.alignment_paths(
            self.by_chain(n, value),
            None if null is None else null[self.tokens[n] : self.tokens[n + 1]],
            jump,
            self.group[self.states[n] : self.states[n + 1]],
            local,
        )

    def log_partition(self, n):
        scores = np.array([score for _, score, _ in self.paths[n]])
        return oracle.log_partition(scores) if len(scores) else -np.inf

    def posteriors(self, n):
        """(J, K + 1), NULL first, and expected jumps; zero where all is impossible."""
        J, K = self.by_chain(n, np.zeros(self.cells[-1])).shape
        links = np.zeros((J, K + 1))
        jumps = np.zeros(np.atleast_2d(self.p.jump).shape)
        z = self.log_partition(n)
        for y, score, widths in self.paths[n]:
            p = np.exp(score - z) if z > -np.inf else 0.0
            links[np.arange(J), list(y)] += p
            for entry in widths:
                jumps[entry] += p
        return links, jumps


OPTIONS = {
    "plain": {},
    "no null": {"null": False},
    "no factor": {"factor": False},
    "groups": {"groups": 3},
    "forbidden": {"forbidden": 0.3},
    "groups, forbidden": {"groups": 3, "forbidden": 0.3},
    "wide": {"scale": 1000.0, "groups": 2},
    "wide, forbidden": {"scale": 1000.0, "forbidden": 0.2},
    "wide, no null": {"scale": 1000.0, "null": False},
    "factor alone": {"nodes": False},
    "jumps alone": {"nodes": False, "factor": False},
}
MODELS = list(itertools.product([False, True], [False, True]))


@pytest.fixture(params=["matrix", "band"], autouse=True)
def kernel(request, monkeypatch):
    monkeypatch.setattr(_lattice, "_WIDEST", 1000 if request.param == "matrix" else -99)


def _cases(name):
    for (reverse, local), seed in itertools.product(MODELS, range(3)):
        yield Case(seed, reverse=reverse, local=local, **OPTIONS[name])


@pytest.mark.parametrize("name", OPTIONS)
def test_sums(name):
    for case in _cases(name):
        weight = np.array([0.5, 1, 1, 0, 2, 1, 1])
        got = case.lattice.posterior(case.p, weight)
        exact = [case.log_partition(n) for n in range(len(SOURCE))]
        np.testing.assert_allclose(got.log_partition, exact, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(
            case.lattice.log_partition(case.p), exact, rtol=1e-10, atol=1e-10
        )
        node, jump = np.zeros(N_KINDS), np.zeros(np.atleast_2d(case.p.jump).shape)
        for n in range(len(SOURCE)):
            links, jumps = case.posteriors(n)
            if links.shape[1] == 1:  # nothing to link to
                links[:] = 0
            tokens = slice(case.tokens[n], case.tokens[n + 1])
            np.testing.assert_allclose(got.null[tokens], links[:, 0], atol=1e-9)
            np.testing.assert_allclose(
                case.by_chain(n, got.cell), links[:, 1:], atol=1e-6
            )
            kinds = case.by_chain(n, case.index)
            np.add.at(node, kinds, weight[n] * links[:, 1:])
            if links.size and links.shape[1] > 1:
                jump += weight[n] * jumps
        if case.p.node is None:
            assert got.node is None
        else:
            np.testing.assert_allclose(got.node, node, atol=1e-9)
        np.testing.assert_allclose(np.atleast_2d(got.jump), jump, atol=1e-9)
        assert got.jump.shape == case.p.jump.shape


@pytest.mark.parametrize("name", OPTIONS)
def test_paths(name):
    for case in _cases(name):
        path = case.lattice.argmax(case.p)
        score = case.lattice.score(case.p, path)
        for n, paths in enumerate(case.paths):
            own = path[case.tokens[n] : case.tokens[n + 1]]
            assert (own < max(case.lattice.n_states[n], 1)).all()
            best = max((s for _, s, _ in paths), default=-np.inf)
            np.testing.assert_allclose(score[n], best, rtol=1e-9, atol=1e-9)
        rng = np.random.default_rng(0)
        path = rng.integers(-1, np.repeat(case.lattice.n_states, case.chain))
        score = case.lattice.score(case.p, path)
        for n, paths in enumerate(case.paths):
            own = tuple((path[case.tokens[n] : case.tokens[n + 1]] + 1).tolist())
            exact = {y: s for y, s, _ in paths}.get(own, -np.inf)
            np.testing.assert_allclose(score[n], exact, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["plain", "groups, forbidden", "wide", "no null"])
def test_samples(name):
    rng = np.random.RandomState(0)
    for reverse, local in MODELS:
        case = Case(1, reverse=reverse, local=local, **OPTIONS[name])
        draws = [case.lattice.sample(case.p, rng) for _ in range(300)]
        for n in np.flatnonzero(SOURCE * TARGET):
            z = case.log_partition(n)
            if z == -np.inf:
                continue
            own = [tuple(d[case.tokens[n] : case.tokens[n + 1]] + 1) for d in draws]
            for y, score, _ in case.paths[n]:
                p = np.exp(score - z)
                error = 5 * np.sqrt(p * (1 - p) / len(own)) + 1e-9
                assert abs(own.count(y) / len(own) - p) < error + 0.003 * (p > 0)
    again = [case.lattice.sample(case.p, 3) for _ in range(2)]
    np.testing.assert_array_equal(*again)


@pytest.mark.parametrize("name", ["plain", "groups", "no null", "no factor"])
def test_gradients(name):
    case = Case(0, reverse=True, local=False, **OPTIONS[name])
    weight = np.linspace(0.5, 2, len(SOURCE)) * (SOURCE * TARGET > 0)
    got = case.lattice.posterior(case.p, weight)

    def objective(p):
        z = case.lattice.log_partition(p)
        return weight[weight > 0] @ z[weight > 0]

    by_token = np.repeat(weight, case.chain)
    expected = {"node": got.node, "null": by_token * got.null, "jump": got.jump}
    for part, counts in expected.items():
        table = getattr(case.p, part)
        if table is None:
            continue
        for at in np.ndindex(table.shape):
            step = np.zeros(table.shape)
            step[at] = 1e-5
            up, down = (
                objective(case.p._replace(**{part: table + x})) for x in (step, -step)
            )
            np.testing.assert_allclose((up - down) / 2e-5, counts[at], atol=1e-6)


def _many(seed, n, longest, **options):
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, longest, (2, n))
    C = (source * target).sum()
    lattice = Lattice(source, target, rng.integers(0, 50, C), **options)
    p = LatticePotentials(
        rng.normal(size=50),
        rng.normal(size=lattice.chain_offsets[-1]),
        rng.normal(size=21),
        rng.uniform(size=C).astype(np.float32),
    )
    return lattice, p


@pytest.mark.parametrize("local", [False, True])
def test_number_of_jobs_does_not_matter(local):
    one, p = _many(0, 900, 25, local=local)
    two, _ = _many(0, 900, 25, local=local, n_jobs=2)
    weight = np.arange(900) % 3 / 2
    for a, b in zip(one.posterior(p, weight), two.posterior(p, weight), strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one.argmax(p), two.argmax(p))
    np.testing.assert_array_equal(one.sample(p, 0), two.sample(p, 0))


def test_pairs_without_weight_are_not_visited():
    lattice, p = _many(1, 60, 12)
    weight = (np.arange(60) % 2).astype(float)
    full = lattice.posterior(p, weight)
    part = lattice.posterior(p, weight, cells=False)
    assert part.cell is None
    np.testing.assert_allclose(part.node, full.node)
    np.testing.assert_allclose(part.jump, full.jump)
    filled = np.diff(lattice.cell_offsets) > 0
    assert (part.log_partition[filled & (weight == 0)] == 0).all()
    np.testing.assert_array_equal(
        part.log_partition[weight > 0], full.log_partition[weight > 0]
    )


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("n_groups", [1, 3])
@pytest.mark.parametrize("width", [0, 1, 10, 80])
def test_band_is_exact(local, n_groups, width, monkeypatch):
    rng = np.random.default_rng(0)
    source, target = [70, 66, 70, 5], [70, 3, 40, 9]
    C = int(np.dot(source, target))
    lattice = Lattice(
        source, target, local=local, jump_group=rng.integers(0, n_groups, sum(source))
    )
    p = LatticePotentials(
        None,
        rng.normal(size=sum(target)),
        rng.normal(size=(n_groups, 2 * width + 1)),
        rng.uniform(size=C).astype(np.float32),
    )
    monkeypatch.setattr(_lattice, "_WIDEST", 1000)
    matrix = lattice.posterior(p)
    monkeypatch.setattr(_lattice, "_WIDEST", -1000)
    band = lattice.posterior(p)
    for a, b in zip(matrix, band, strict=True):
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-7)


def test_both_directions_share_their_cells():
    rng = np.random.default_rng(0)
    p = LatticePotentials(
        None, None, np.zeros(3), rng.uniform(0.1, 1, 6).astype(np.float32)
    )
    forward = Lattice([2], [3]).posterior(p).cell.reshape(2, 3)
    reverse = Lattice([2], [3], reverse=True).posterior(p).cell.reshape(2, 3)
    np.testing.assert_allclose(forward.sum(axis=0), 1, rtol=1e-6)
    np.testing.assert_allclose(reverse.sum(axis=1), 1, rtol=1e-6)


def test_long_chains_keep_their_range():
    """Cells of probability 1e-30 over 400 tokens, far below the range of floats."""
    n = 400
    factor = np.full(n * n, 1e-30, np.float32)
    p = LatticePotentials(None, None, np.zeros(3), factor)
    z = Lattice([n], [n], local=True).log_partition(p)
    np.testing.assert_allclose(z, n * np.log(float(factor[0])), rtol=1e-9)


def test_unreachable_islands_do_not_overflow():
    """Only one path is possible; what is impossible has no bounds of its own."""
    n = 300
    factor = (np.eye(n) * 1e-5 + np.tril(np.ones((n, n)), -1)).astype(np.float32)
    jump = np.array([-np.inf, -np.inf, -np.inf, 0.0, -np.inf])
    got = Lattice([n], [n]).posterior(
        LatticePotentials(None, None, jump, factor.ravel())
    )
    np.testing.assert_allclose(got.cell.reshape(n, n), np.eye(n), atol=1e-7)
    np.testing.assert_allclose(got.log_partition, n * np.log(factor[0, 0]), rtol=1e-6)


@pytest.mark.compiled
def test_huge_pair_is_quick(monkeypatch):
    monkeypatch.undo()
    n = 1500
    rng = np.random.default_rng(0)
    factor = rng.uniform(size=n * n).astype(np.float32)
    jump = -0.1 * np.abs(np.arange(-30, 31) - 1.0)
    lattice = Lattice([n], [n])
    p = LatticePotentials(None, np.full(n, -3.0), jump, factor)
    lattice.posterior(p)
    begin = time.process_time()
    got = lattice.posterior(p)
    assert time.process_time() - begin < 5
    by_token = got.cell.reshape(n, n).sum(axis=0) + got.null
    np.testing.assert_allclose(by_token, 1, atol=1e-5)


def test_empty_batch():
    lattice = Lattice([], [], [])
    p = LatticePotentials(np.zeros(2), np.zeros(0), np.zeros(3))
    got = lattice.posterior(p)
    assert got.log_partition.shape == got.null.shape == got.cell.shape == (0,)
    np.testing.assert_array_equal(got.jump, 0)
    assert lattice.argmax(p).shape == lattice.sample(p, 0).shape == (0,)


def test_impossible_pairs_get_a_path():
    p = LatticePotentials(np.array([0.0, -np.inf]), None, np.zeros(3))
    path = Lattice([2], [2], [0, 1, 1, 1]).argmax(p)
    assert path[0] == 0
    assert path[1] >= 0


def test_users_arrays_stay():
    lattice, p = _many(2, 10, 6)
    before = [np.copy(a) for a in p]
    lattice.posterior(p)
    lattice.argmax(p)
    for a, b in zip(p, before, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("build", "match"),
    [
        (lambda: Lattice([2], [2], [0, 1]), r"index has shape \(2,\).*\(4,\)"),
        (lambda: Lattice([2], [2], [0, 1, -1, 0]), r"index\[2\] is -1"),
        (lambda: Lattice([2], [2], jump_group=[0]), "jump_group has shape"),
        (lambda: Lattice([2, 1], [2]), "2 source and 1 target"),
        (lambda: Lattice([2, -1], [2, 1]), r"pair 1.*-1"),
    ],
)
def test_wrong_lattices(build, match):
    with pytest.raises(ValueError, match=match):
        build()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"node": np.zeros(1)}, "1 rows.*row 1"),
        ({"node": np.array([0.0, np.nan])}, "without NaN"),
        ({"null": np.zeros(3)}, "3 entries for 2"),
        ({"jump": np.zeros(4)}, r"\(2 M \+ 1,\)"),
        ({"jump": np.zeros((2, 3))}, "jump_group"),
        ({"factor": np.zeros(3)}, "4 cells"),
        ({"factor": np.array([1, 1, np.nan, 1])}, "finite"),
        ({"factor": np.array([1, 1, -1, 1])}, "at least 0"),
    ],
)
def test_wrong_potentials(change, match):
    lattice = Lattice([2], [2], [0, 1, 1, 0])
    p = LatticePotentials(np.zeros(2), np.zeros(2), np.zeros(3))
    with pytest.raises(ValueError, match=match):
        lattice.posterior(p._replace(**change))


@pytest.mark.parametrize(("path", "match"), [([0], "shape"), ([0, 2], r"path\[1\]")])
def test_wrong_paths(path, match):
    p = LatticePotentials(None, None, np.zeros(3))
    with pytest.raises(ValueError, match=match):
        Lattice([2], [2]).score(p, path)


def test_weights_and_lengths_that_do_not_fit():
    with pytest.raises(ValueError, match="source lengths are of dtype float64"):
        Lattice([1.5], [2])
    lattice = Lattice([2], [2])
    for weight in (np.ones(2), 1.0, np.ones((1, 1))):
        with pytest.raises(ValueError, match=r"weight has shape .*expected \(1,\)"):
            lattice.posterior(LatticePotentials(None, None, np.zeros(3)), weight)
