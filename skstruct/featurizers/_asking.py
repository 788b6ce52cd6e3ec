"""Questions to functions of the user."""

__all__ = ["ask"]


def ask(parameter, function, word):
    """What a user's function answers for a word.

    Parameters
    ----------
    parameter : str
        The parameter that holds the function, for errors.
    function : callable
        The function.
    word : str or object
        What it is asked about.

    Returns
    -------
    object
        The answer.

    Raises
    ------
    ValueError
        If the function raises.
    """
    try:
        return function(word)
    except Exception as error:
        name = getattr(function, "__name__", repr(function))
        raise ValueError(
            f"{parameter}: {name} raised {error!r} for the word {word!r}; it must "
            "answer for every word."
        ) from error
