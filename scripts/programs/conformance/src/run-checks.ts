import { setTimeout as pause } from 'node:timers/promises';
import type { Check, Result } from './check.ts';
import { Broken, Skipped } from './expectations.ts';
import type { Prepared } from './prepare.ts';

const MAX_CHECK_MS = 60_000;
const MAX_REASON_CHARACTERS = 500;

/** Runs the checks one after another. @param report called with each result */
export async function runChecks(
  checks: readonly Check[],
  prepared: Prepared,
  report: (result: Result) => void,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const check of checks) {
    const started = performance.now();
    const outcome = await outcomeOf(check, prepared);
    const { clause, id, must } = check;
    const result = { clause, id, must, ...outcome, milliseconds: Math.round(performance.now() - started) };
    results.push(result);
    report(result);
  }
  return results;
}

async function outcomeOf(
  check: Check,
  { tpp, isSandbox }: Prepared,
): Promise<Pick<Result, 'outcome' | 'reason'>> {
  if (check.isForSandbox && !isSandbox) return { outcome: 'skipped', reason: 'the deployment is no sandbox' };
  if (check.role && !tpp.roles.includes(check.role))
    return { outcome: 'skipped', reason: `the client does not have the role ${check.role}` };
  const late = new AbortController();
  try {
    await Promise.race([
      check.run(tpp),
      pause(MAX_CHECK_MS, undefined, { signal: late.signal }).then(() => {
        throw new Broken(`a result within ${MAX_CHECK_MS / 1_000} s`, 'none');
      }),
    ]);
    return { outcome: 'passed' };
  } catch (error) {
    if (error instanceof Skipped) return { outcome: 'skipped', reason: error.message };
    return { outcome: 'failed', reason: reasonOf(error) };
  } finally {
    late.abort();
  }
}

/** The message of a failure that has no value of a body; else the kind of the error. */
function reasonOf(error: unknown): string {
  if (error instanceof Broken) return withoutNumbers(error.message);
  const { name, code } = error as Error & { code?: unknown };
  return `the check ended with ${name}${typeof code === 'string' ? ` (${code})` : ''}`;
}

/** A name of a member comes from the deployment, so it may be long, unprintable, or an account number or id. */
function withoutNumbers(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}|\d{6,}/gi, '…')
    .replaceAll(/\p{C}/gu, '?')
    .slice(0, MAX_REASON_CHARACTERS);
}
