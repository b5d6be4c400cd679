"""Studies of papers: data (scenarios, axes, assumptions, what others measured) plus a little code.

A study never decides anything silently: what the paper leaves open is listed, with the choice made and its reason.
"""
