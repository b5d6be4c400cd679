"""Commands around the first use: check the installation, complete words, start a scenario."""
