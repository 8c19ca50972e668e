/**
 * SQL of a list parameter whose length the planner does not see. PostgreSQL makes one plan for lists of all lengths and
 * keeps it; where it sees the length, it plans a short list anew each time (ADR-0038).
 */
export const listParameter = (number: number, type: string): string =>
  `(SELECT $${number}::${type}[])::${type}[]`;
