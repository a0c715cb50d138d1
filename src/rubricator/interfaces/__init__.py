"""Thin front doors: parse, call one workspace verb, render."""
