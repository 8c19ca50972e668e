/** Faults that the environment found in answers, webhooks and events of this file's servers. */
const faults = (globalThis as { kontoportAnswerFaults?: string[] }).kontoportAnswerFaults ?? [];

function refuseFaults(): void {
  const found = faults.splice(0);
  if (found.length > 0) throw new Error(`said otherwise than documented:\n${found.join('\n')}`);
}

afterEach(refuseFaults);
// Faults after the hooks of the last test.
afterAll(refuseFaults);
