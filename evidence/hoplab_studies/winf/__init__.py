"""rt-Winf (Barreto 2015): link capacity and available bandwidth measured at the MAC, fed to XCP and RCP."""
