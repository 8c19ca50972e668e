/**
 * Goes on with what is known at once, or when it is known: where most of it is known already, a promise would cost more than
 * the work.
 * @throws what `next` throws, at once or as a rejection
 */
export function thenAtOnce<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
