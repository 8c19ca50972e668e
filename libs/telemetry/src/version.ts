/** The common version of all released parts; a bundle has no manifest to read it from. */
export const VERSION = '0.2.0';
