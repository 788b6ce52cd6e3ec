"""What an estimator is: the model in it, of sentence pairs or of anything else."""

from sklearn.pipeline import Pipeline

__all__ = ["check_aligner", "check_no_aligner", "model_of"]


def model_of(estimator):
    """The last step of a pipeline, the best estimator of a search, or the estimator."""
    estimator = getattr(estimator, "best_estimator_", estimator)
    return model_of(estimator[-1]) if isinstance(estimator, Pipeline) else estimator


def check_aligner(estimator) -> None:
    """Raise if an estimator has states, classes or clusters: aligners have not."""
    model = model_of(estimator)
    for name in ("states_", "classes_", "labels_"):
        if hasattr(model, name):
            raise TypeError(
                f"{type(model).__name__} has {name}, so it is no aligner and there "
                "are no links to show."
            )


def check_no_aligner(estimator) -> None:
    """Raise if an estimator has links."""
    model = model_of(estimator)
    if hasattr(model, "links_"):
        raise TypeError(
            f"{type(model).__name__} is an aligner, so there are no states or "
            "labels to show; AlignmentDisplay and AlignedText show links."
        )
