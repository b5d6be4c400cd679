"""Other people's simulators: reference tables they produced, and scripts to run them live.

`tables` reads what ns-2 said once, with its provenance; `ns2_tcl` writes a scenario as an
ns-2.35 script; `ns2_run` runs it over seeds; `compare` puts both sides next to each other.
"""
