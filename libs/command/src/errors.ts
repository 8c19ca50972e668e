/** Exit status 2: the command line makes no sense. The message has no full stop. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An unusable input: exit status 2. The message states the reason and the cure. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
