"""Rubricator keeps rubrics true."""
