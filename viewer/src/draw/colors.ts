// The colors of python/hoplab/figures/palette.py: those of Okabe and Ito 2008, for color-blind readers. A test compares both.

export const BLUE = "#0072b2";
export const VERMILION = "#d55e00";
export const GREEN = "#009e73";
export const PURPLE = "#cc79a7";
export const ORANGE = "#e69f00";
export const SKY = "#56b4e9";
export const BLACK = "#000000";
