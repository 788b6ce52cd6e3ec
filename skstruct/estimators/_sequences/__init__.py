"""What models of state sequences share: training data, names of states, answers."""

__all__ = []
