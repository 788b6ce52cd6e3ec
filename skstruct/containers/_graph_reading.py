"""Graphs in the forms users have them, as flat arrays of nodes and edges."""

from math import prod

import numpy as np
import scipy.sparse as sp

from skstruct.containers._batch import Batch, locate
from skstruct.containers._graph_edges import Edges
from skstruct.containers._reading import reject_masked, reject_networkx

__all__ = [
    "check_edges",
    "join_edge_values",
    "name_features",
    "read_edge_offsets",
    "read_edge_values",
    "read_edges",
    "read_graphs",
    "read_networkx",
]


def read_graphs(graphs):
    """Features, edges and edge features (or None) of each graph, as three lists."""
    _reject_other_forms(graphs)
    features, edges, edge_values = [], [], []
    for i, graph in enumerate(graphs):
        if not isinstance(graph, tuple | list) or len(graph) not in (2, 3):
            reject_networkx(graph, f"Sample {i}")
            size = f" of {len(graph)} entries" if hasattr(graph, "__len__") else ""
            raise ValueError(
                f"Sample {i} is a {type(graph).__name__}{size}, not a graph: give each "
                "as (features, edges) or (features, edges, edge_features), a single "
                "one as [(features, edges)]."
            )
        _check_nodes(graph[0], graph[1], f"Sample {i}")
        features.append(name_features(graph[0]))
        edges.append(read_edges(graph[1], f"Sample {i}: edges"))
        given = graph[2] if len(graph) == 3 else None
        edge_values.append(
            read_edge_values(given, len(edges[-1]), f"Sample {i}: edge_features")
        )
    return features, edges, edge_values


def _reject_other_forms(graphs):
    reject_networkx(graphs, "What should be a list of (features, edges)")
    kind = type(graphs).__name__
    if isinstance(graphs, Batch):
        raise ValueError(
            f"Expected graphs, got a {kind}, which has no edges; sequences become "
            "chains by GraphBatch.from_sequences."
        )
    if (
        isinstance(graphs, str | bytes | dict)
        or not hasattr(graphs, "__iter__")
        or hasattr(graphs, "columns")
        or sp.issparse(graphs)
    ):
        raise ValueError(
            f"Expected a list of graphs (features, edges), got a {kind}; flat arrays "
            "go to GraphBatch.from_arrays."
        )


def _check_nodes(features, edges, where):
    """Raise unless there is a row for each node that the edges are made for."""
    shape = getattr(features, "shape", None)
    if shape is None and hasattr(features, "__len__"):
        shape = (len(features),)
    if not shape:
        return
    made_for = edges.n_nodes if isinstance(edges, Edges) else None
    if len(shape) < 3 and made_for in (None, shape[0]):
        return
    nodes = "node" if made_for is None else f"of the {made_for} nodes of its edges"
    advice = (
        "Check the shape of the grid, or the length of parents; where nodes without "
        "edges are meant, pass np.asarray(edges)."
    )
    if len(shape) > 2 or prod(shape) == made_for:
        advice = "Of an image pass image.reshape(-1, channels), in grey (-1, 1)."
    raise ValueError(
        f"{where} has features of shape {tuple(shape)}, not a row for each {nodes}. "
        f"{advice}"
    )


def name_features(features):
    """Nodes given by lists of names become dicts that say 1.0 of each name."""
    if not isinstance(features, list | tuple) or not all(map(_is_names, features)):
        return features
    return [dict.fromkeys(names, 1.0) for names in features]


def _is_names(node):
    return isinstance(node, list | tuple | set | frozenset) and all(
        isinstance(name, str) for name in node
    )


def read_edges(edges, what):
    """Pairs of node numbers as an array (m, 2) of intp."""
    if sp.issparse(edges):
        raise ValueError(
            f"{what} is a sparse matrix; list its entries by np.argwhere(edges)."
        )
    edges = np.asarray(edges if hasattr(edges, "__len__") else list(edges))
    if edges.size == 0 and edges.shape in {(0,), (0, 2), (2, 0)}:
        return np.zeros((0, 2), dtype=np.intp)
    if edges.ndim != 2 or edges.shape[1] != 2:
        turned = edges.ndim == 2 and len(edges) == 2
        raise ValueError(
            f"{what} must be of shape (n_edges, 2), a pair of node numbers in each "
            f"row; got shape {edges.shape}.{' Pass edges.T.' if turned else ''}"
        )
    if edges.dtype.kind not in "iu":
        raise ValueError(
            f"{what} must hold node numbers, integers from 0; got dtype {edges.dtype}."
        )
    return np.ascontiguousarray(edges, dtype=np.intp)


def read_edge_values(values, n_edges, what):
    """Edge features as an array (n_edges, G) of floats; None stays None."""
    if values is None:
        return None
    if sp.issparse(values):
        raise ValueError(f"{what} must be dense; pass edge_features.toarray().")
    reject_masked(values, what)
    try:
        values = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{what} must hold numbers, a row of the same length for each edge."
        ) from None
    if values.ndim == 1 and len(values) == n_edges and n_edges:
        values = values[:, None]
    if values.ndim == 1 and len(values) == n_edges == 0:
        return None
    if values.ndim != 2 or len(values) != n_edges:
        raise ValueError(
            f"{what} must have one row for each of the {n_edges} edges; got shape "
            f"{values.shape}."
        )
    return values


def join_edge_values(parts, n_edges, what="Sample"):
    """Edge features of several samples as one array; None if no sample has any.

    A sample without edges need not have any, and has no say in their number.
    """
    at = [i for i, n in enumerate(n_edges) if n]
    given = [i for i in at if parts[i] is not None]
    if not given:
        return None if at else next((p for p in parts if p is not None), None)
    for i in at:
        if parts[i] is None:
            raise ValueError(
                f"{what} {i} has no edge features, but {what.lower()} {given[0]} has; "
                "give them for all graphs with edges, or for none."
            )
        width, first = parts[i].shape[1], parts[given[0]].shape[1]
        if width != first:
            raise ValueError(
                f"{what} {i} has {width} features an edge, {what.lower()} {given[0]} "
                f"{first}."
            )
    return np.concatenate([parts[i] for i in given])


def check_edges(offsets, edges, edge_offsets, edge_values) -> None:
    """Raise at the first edge that joins no two nodes of its graph, or joins again."""
    n_edges = np.diff(edge_offsets)
    n_nodes = np.repeat(np.diff(offsets), n_edges)[:, None]
    outside = np.flatnonzero(((edges < 0) | (edges >= n_nodes)).any(axis=1))
    if outside.size:
        _raise_at(
            outside[0],
            edges,
            edge_offsets,
            f"is out of range: the graph has {n_nodes[outside[0], 0]} nodes, numbered "
            "from 0 within each graph.",
        )
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    if loops.size:
        _raise_at(
            loops[0],
            edges,
            edge_offsets,
            "joins a node to itself. Leave it out: what depends on the label of one "
            "node alone belongs to its features.",
        )
    _reject_repeats(offsets, edges, edge_offsets, n_edges)
    if edge_values is not None:
        odd = np.flatnonzero(~np.isfinite(edge_values).all(axis=1))
        if odd.size:
            _raise_at(
                odd[0],
                edges,
                edge_offsets,
                f"has edge features {edge_values[odd[0]].tolist()}; they must be "
                "finite. Fill what is missing.",
            )


def _reject_repeats(offsets, edges, edge_offsets, n_edges):
    first_node = np.repeat(offsets[:-1], n_edges)
    pairs = (first_node + edges.min(axis=1)) * offsets[-1]
    pairs += first_node + edges.max(axis=1)
    order = np.argsort(pairs, kind="stable")
    again = np.flatnonzero(pairs[order[1:]] == pairs[order[:-1]])
    if again.size:
        later = order[1:][again].min()
        earlier = np.flatnonzero(pairs == pairs[later])[0]
        number = locate(edge_offsets, earlier)[1]
        _raise_at(
            later,
            edges,
            edge_offsets,
            f"joins the nodes of edge {number} again, ({edges[earlier, 0]}, "
            f"{edges[earlier, 1]}). Give each pair of nodes one edge, in one "
            "direction; edge features can tell kinds of edges apart.",
        )


def _raise_at(row, edges, edge_offsets, fault):
    sample, number = locate(edge_offsets, row)
    u, v = edges[row].tolist()
    raise ValueError(f"Sample {sample}, edge {number}: ({u}, {v}) {fault}")


def read_networkx(graphs, feature, edge_feature):
    """Graphs of networkx, or with its interface, as `read_graphs` takes them."""
    for i, graph in enumerate(graphs):
        if not hasattr(graph, "nodes") or not hasattr(graph, "edges"):
            raise ValueError(
                f"Sample {i} is a {type(graph).__name__}, not a networkx graph; a "
                "single graph is given as [graph]."
            )
        nodes = dict(graph.nodes(data=True))
        number = {node: t for t, node in enumerate(nodes)}
        features = [
            _read_attribute(data, feature, f"Sample {i}: node {node!r}", "feature")
            for node, data in nodes.items()
        ]
        links = list(graph.edges(data=True))
        edges = [(number[u], number[v]) for u, v, _ in links]
        if edge_feature is None:
            yield features, edges
            continue
        edge_features = [
            _read_attribute(
                data, edge_feature, f"Sample {i}: edge ({u!r}, {v!r})", "edge_feature"
            )
            for u, v, data in links
        ]
        yield features, edges, edge_features


def _read_attribute(data, name, where, parameter):
    """What a node or an edge holds under a name; under a list of names, in one row."""
    row = []
    for each in name if isinstance(name, list) else [name]:
        if each not in data:
            raise ValueError(
                f"{where} has no attribute {each!r}; name by {parameter}= one that all "
                "have, or a list of some."
            )
        if not isinstance(name, list):
            return data[each]
        values = np.asarray(data[each])
        if values.dtype.kind not in "biuf" or values.ndim > 1:
            raise ValueError(
                f"{where}: the attribute {each!r} is {data[each]!r}; those that are "
                "named by a list become columns, numbers or vectors. Give others by "
                "one attribute that holds a dict."
            )
        row.extend(values.ravel().tolist())
    return row


def read_edge_offsets(edge_offsets, n_samples, n_edges):
    """Where the edges of each graph begin, as an array (n_samples + 1,) of intp."""
    given = np.asarray(edge_offsets)
    if given.shape != (n_samples + 1,) or given.dtype.kind not in "iu":
        raise ValueError(
            f"edge_offsets must be {n_samples + 1} integers, one more than graphs; got "
            f"dtype {given.dtype} and shape {given.shape}."
        )
    given = np.ascontiguousarray(given, dtype=np.intp)
    if given[0] != 0 or given[-1] != n_edges or (np.diff(given) < 0).any():
        raise ValueError(
            f"edge_offsets must rise from 0 to the number of edges, {n_edges}, and "
            f"never fall; they go from {given[0]} to {given[-1]}."
        )
    return given
