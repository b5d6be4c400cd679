"""Validation of the engine against external references.

Each part is one module with a function `plan(depth)`; `parts.PARTS` lists them. What is compared and
how far apart the values may be stands in the module, and in `docs/judge/validation.md`.
"""
