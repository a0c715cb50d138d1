"""All input and output. Foreign exceptions end here: what leaves is a RubricatorError."""
