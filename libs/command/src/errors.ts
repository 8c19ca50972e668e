/** Exit status 2: the command line makes no sense. The message has no full stop. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Exit status 2: what was given cannot be used; the message says why, and what to do. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
