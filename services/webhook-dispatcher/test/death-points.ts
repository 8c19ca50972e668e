/** The points at which a dispatcher may die, in the order in which an event passes them. */
export const DEATH_POINTS = [
  'after poll',
  'after insert',
  'after commit',
  'after claim',
  'POST sent',
  'response read',
] as const;

export type DeathPoint = (typeof DEATH_POINTS)[number];

/** Milliseconds without a heartbeat after which the group gives up a member. */
export const MEMBER_MS = 6_000;
