"""How each reason is recognized, by subject; `hoplab.diagnosis.table` has them in order."""
