"""TCP Muzha (Lien, undated): router-assisted TCP against NewReno, SACK and Vegas over chains."""
