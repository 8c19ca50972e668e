/** Declares routes of this test file under a path, which no document describes. Only their errors are checked. */
export function servesOnlyHere(path: string): void {
  (globalThis as { kontoportOwnPaths?: string[] }).kontoportOwnPaths?.push(path);
}
