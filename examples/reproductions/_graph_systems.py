"""What ``adversarial.py`` compares: fits, and the decisions that are had of each."""

import time
from functools import lru_cache

import numpy as np
import pandas as pd
from _graph_data import ROLES, cut, read_task, vectors
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from skstruct import AdversarialGraphicalModel, ConditionalRandomField, StructuredSVM
from skstruct.metrics import mean_additive_loss

__all__ = ["measure"]


def measure(task, split, features, family, c, loss, temperature=None, size=None):
    """Losses of the decisions of one fit on the held samples, by name."""
    data = read_task(task, size)
    train, held, X = _prepared(task, size, split, features)
    spec, classes = data.loss(loss)
    if family in ("LR", "CRF"):  # blind to the loss until they decide
        proba, best, seconds = _probabilities(task, size, split, features, family, c)
        cost = spec.table(classes)
        decided = (proba[classes].to_numpy() @ cost).argmin(axis=1)
        answers = {"bayes": np.array(classes)[decided]}
        if best is not None:
            answers["map"] = best
    else:
        model = _model(family, c / len(train), temperature, spec, classes)
        answers, seconds = _trained(model, X[train], data.y[train], X[held])
    y = data.y[held]
    row = {"cpu": round(seconds, 2)}
    for name, answer in answers.items():
        answer = y.with_values(answer)
        row[name] = mean_additive_loss(y, answer, spec, labels=classes)
        if task.startswith("roles"):
            row[f"{name} F1"] = _f1(y.values, answer.values)
    return row


def _f1(true, predicted):
    """Micro-averaged over the roles of nodes: neither outside nor the verb."""
    roles = [role for role in ROLES if role not in ("O", "V")]
    return float(f1_score(true, predicted, labels=roles, average="micro"))


@lru_cache(maxsize=4)
def _prepared(task, size, split, features):
    data = read_task(task, size)
    train, held = cut(data, split)
    return train, held, vectors(data, train, features)


@lru_cache(maxsize=64)
def _probabilities(task, size, split, features, family, c):
    """Marginals of held nodes, the best labelling, and CPU seconds of the fit."""
    data = read_task(task, size)
    train, held, X = _prepared(task, size, split, features)
    begin = time.process_time()
    if family == "LR":
        model = LogisticRegression(C=1 / c, max_iter=200)
        model.fit(X[train].values, data.y[train].values)
        seconds = time.process_time() - begin
        proba = model.predict_proba(X[held].values)
        return _table(proba, model, data), None, seconds
    model = ConditionalRandomField(l2=c / len(train), prediction="map")
    model.fit(X[train], data.y[train])
    seconds = time.process_time() - begin
    proba = np.concatenate(list(model.predict_proba(X[held])))
    best = np.concatenate(list(model.predict(X[held])))
    return _table(proba, model, data), best, seconds


def _table(proba, model, data):
    """Probabilities by label; 0 for labels that the training part lacks."""
    table = pd.DataFrame(proba, columns=model.classes_)
    return table.reindex(columns=np.unique(data.y.values), fill_value=0.0)


def _model(family, l2, temperature, loss, classes):
    if family == "SSVM":
        return StructuredSVM(loss, classes=classes, l2=l2)
    # Of the smooth game, the limit is a CRF with temperature times the penalty.
    scale = max(1.0, temperature * loss.table(classes).max())
    return AdversarialGraphicalModel(
        loss, classes=classes, l2=l2 / scale, temperature=temperature, max_iter=1000
    )


def _trained(model, X, y, X_held):
    """Answers of a model that is trained for its loss, and CPU seconds of the fit."""
    begin = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - begin
    if isinstance(model, StructuredSVM):
        return {"map": np.concatenate(list(model.predict(X_held)))}, seconds
    answers = {
        name: np.concatenate(list(model.set_params(prediction=name).predict(X_held)))
        for name in ("map", "equilibrium")
    }
    return answers, seconds
