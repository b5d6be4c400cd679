"""The network in motion: what the animation of a report is drawn from, packed small enough for its page.

`panel` is the way in: `scene` asks the trace of a run, `state` thins the answers, `columns` packs them, `span` is the
part of a run that is shown. The program that draws them is written in TypeScript (`viewer/`) and ships as
`report/assets/viewer.js`.
"""
