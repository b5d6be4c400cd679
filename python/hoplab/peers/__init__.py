"""Other people's simulators: reference tables they produced, and scripts to run them live.

`tables` reads what ns-2 and ns-3 said once, with its provenance; `ns2_tcl` writes a scenario as an ns-2.35 script and
`ns3_text` for ns-3.37; `ns2_run` and `ns3_run` run them, over seeds as `runs` does for both; `compare` puts the sides
next to each other.
"""
