/** What is wrong with an account number, and what could not be checked; each names the part and the reason. */
export interface BbanVerdict {
  errors: string[];
  warnings: string[];
}
