/** What the environment found wrong with what this file's servers answered, sent and published. */
const faults = (globalThis as { kontoportAnswerFaults?: string[] }).kontoportAnswerFaults ?? [];

function refuseFaults(): void {
  const found = faults.splice(0);
  if (found.length > 0) throw new Error(`said otherwise than documented:\n${found.join('\n')}`);
}

afterEach(refuseFaults);
// What was answered or logged after the last test's own hooks.
afterAll(refuseFaults);
