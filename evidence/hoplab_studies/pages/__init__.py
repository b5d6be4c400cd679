"""Pages of studies: what is stored of a finished study, and what docs/judge/studies shows of it.

`stored` has the form that the repository keeps, `standing` says where each claim stands, `cards` has one card per
figure of a paper, `curves` and `rows` draw its charts, `text` writes. `scripts/pages/studies.py` makes the files.
"""
