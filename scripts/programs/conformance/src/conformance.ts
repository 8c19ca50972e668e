import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Style, styleFor, UsageError } from '@kontoport/command';
import type { Result } from './check.ts';
import { CHECKS } from './checks/index.ts';
import { prepare } from './prepare.ts';
import { count, htmlReport, junitReport, summary } from './reports.ts';
import { runChecks } from './run-checks.ts';

/** The options of `kontoport conformance`. */
export interface ConformanceOptions {
  config: string;
  profile?: string;
  only?: string[];
  junit?: string;
  html?: string;
  json?: boolean;
}

/** Runs the checks against a deployment, and writes the reports. @returns the exit status: 1 if a check failed */
export async function conformance(options: ConformanceOptions): Promise<number> {
  const checks = options.only === undefined ? CHECKS : chosen(options.only);
  const prepared = await prepare(resolve(options.config), options.profile);
  try {
    const results = await runChecks(checks, prepared, options.json ? () => {} : linePrinter());
    const about = { target: prepared.deployment.config.baseUrl, at: new Date() };
    if (options.junit !== undefined) writeFileSync(options.junit, junitReport(results));
    if (options.html !== undefined) writeFileSync(options.html, htmlReport(results, about));
    if (options.json)
      console.log(JSON.stringify({ ...about, summary: summary(results), results }, undefined, 2));
    else console.log(`\n${summary(results)}.`);
    return count(results, 'failed') > 0 ? 1 : 0;
  } finally {
    await prepared.tpp.remove().catch(() => {});
    await prepared.deployment.close();
  }
}

/** The checks of clauses, each with the clauses below it: `4` has `4.3`. @throws UsageError */
function chosen(only: readonly string[]) {
  const clauses = only.map((clause) => clause.replace(/^§/, ''));
  const fits = (clause: string, wanted: string): boolean =>
    clause === wanted || clause.startsWith(`${wanted}.`);
  const unknown = clauses.find((wanted) => !CHECKS.some(({ clause }) => fits(clause, wanted)));
  if (unknown !== undefined) {
    const known = [...new Set(CHECKS.map(({ clause }) => clause))].join(', ');
    throw new UsageError(`no check has the clause "${unknown}"; known are ${known}`);
  }
  return CHECKS.filter(({ clause }) => clauses.some((wanted) => fits(clause, wanted)));
}

const MARKS = {
  passed: ['green', 'passed '],
  failed: ['red', 'FAILED '],
  skipped: ['yellow', 'skipped'],
} as const;

/** Prints a line for each check, below a line for its clause. */
function linePrinter(): (result: Result) => void {
  const style: Style = styleFor(process.stdout, process.env);
  let before: string | undefined;
  return ({ clause, id, must, outcome, reason }) => {
    if (clause !== before) console.log(style('bold', `§${clause}`));
    before = clause;
    const [color, word] = MARKS[outcome];
    console.log(`  ${style(color, word)}  ${id}: ${must}${reason === undefined ? '' : ` — ${reason}`}`);
  };
}
