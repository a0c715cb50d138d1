"""Rubric memory: dated knowledge-base passages, cited, under the authority of the rubric. Pure."""
