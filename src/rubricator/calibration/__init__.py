"""Rubric calibration: the owner's blind ranking against the evaluator's scores. Pure."""
