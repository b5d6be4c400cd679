"""Other people's simulators: reference tables they produced, and scripts to run them live.

`tables` reads what ns-2 and ns-3 said once, with its provenance; `ns2.tcl` writes a scenario as an ns-2.35 script and
`ns3.text` for ns-3.37; `ns2.run` and `ns3.run` run them, over seeds as `runs` does for both; `compare` puts the sides
next to each other.
"""
