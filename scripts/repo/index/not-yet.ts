/** Something that the contract promises and that is not built. */
export interface NotYet {
  clause: string;
  /** What is missing, in a few words; of rows with operations, what they are. */
  promise: string;
  /** Operations of the contract without route, as the contract writes them, payment types written out. */
  operations?: readonly string[];
}

/** The plan of the breadth: whoever builds a row takes it out, and the check insists. */
export const NOT_YET: readonly NotYet[] = [];
