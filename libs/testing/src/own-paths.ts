/**
 * Says that a service has routes under a path in this test file only, which no document can tell; of their answers
 * the errors are checked, not the rest.
 */
export function servesOnlyHere(path: string): void {
  (globalThis as { kontoportOwnPaths?: string[] }).kontoportOwnPaths?.push(path);
}
