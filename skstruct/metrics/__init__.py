"""Metrics over label sequences and alignments, and scorers for model selection."""

from skstruct.metrics._alignment import (
    AlignmentScores,
    alignment_error_rate,
    alignment_precision_recall_f1,
)
from skstruct.metrics._clustering import (
    conditional_entropy,
    greedy_one_to_one_accuracy,
    many_to_one_accuracy,
    one_to_one_accuracy,
    v_measure,
    variation_of_information,
)
from skstruct.metrics._loss import mean_additive_loss
from skstruct.metrics._scorers import (
    LabelScorer,
    aer_scorer,
    make_loss_scorer,
    many_to_one_scorer,
    neg_conditional_entropy_scorer,
    neg_variation_of_information_scorer,
    one_to_one_scorer,
    sequence_accuracy_scorer,
    span_f1_scorer,
    token_accuracy_scorer,
    token_f1_scorer,
    v_measure_scorer,
)
from skstruct.metrics._tagging import (
    classification_report,
    sequence_accuracy,
    span_f1,
    token_accuracy,
    token_f1,
)

__all__ = [
    "AlignmentScores",
    "LabelScorer",
    "aer_scorer",
    "alignment_error_rate",
    "alignment_precision_recall_f1",
    "classification_report",
    "conditional_entropy",
    "greedy_one_to_one_accuracy",
    "make_loss_scorer",
    "many_to_one_accuracy",
    "many_to_one_scorer",
    "mean_additive_loss",
    "neg_conditional_entropy_scorer",
    "neg_variation_of_information_scorer",
    "one_to_one_accuracy",
    "one_to_one_scorer",
    "sequence_accuracy",
    "sequence_accuracy_scorer",
    "span_f1",
    "span_f1_scorer",
    "token_accuracy",
    "token_accuracy_scorer",
    "token_f1",
    "token_f1_scorer",
    "v_measure",
    "v_measure_scorer",
    "variation_of_information",
]
