/**
 * SQL of a list parameter that hides its length from the planner. PostgreSQL then keeps one plan for all lengths; a
 * visible length makes it plan short lists each time (ADR-0038).
 */
export const listParameter = (number: number, type: string): string =>
  `(SELECT $${number}::${type}[])::${type}[]`;
