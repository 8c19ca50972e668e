import { escapeHtml, html, Shell } from '@kontoport/pages';
import type { Result } from './check.ts';

/** The results by clause, in their order. */
export function byClause(results: readonly Result[]): Map<string, Result[]> {
  return Map.groupBy(results, ({ clause }) => clause);
}

/** Counts the results with an outcome. */
export function count(results: readonly Result[], outcome: Result['outcome']): number {
  return results.filter((result) => result.outcome === outcome).length;
}

/** `50 checks: 48 passed, 1 failed, 1 skipped` */
export function summary(results: readonly Result[]): string {
  const counts = (['passed', 'failed', 'skipped'] as const).map(
    (outcome) => `${count(results, outcome)} ${outcome}`,
  );
  return `${results.length} checks: ${counts.join(', ')}`;
}

/** Writes the results as JUnit XML, a suite for each clause. */
export function junitReport(results: readonly Result[]): string {
  const attributes = (all: Record<string, string | number>): string =>
    Object.entries(all)
      .map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`)
      .join('');
  const totals = (part: readonly Result[]) => ({
    tests: part.length,
    failures: count(part, 'failed'),
    skipped: count(part, 'skipped'),
    time: part.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1_000,
  });
  const suites = [...byClause(results)].map(([clause, part]) => {
    const cases = part.map(({ id, must, outcome, reason = '', milliseconds }) => {
      const element = outcome === 'failed' ? 'failure' : 'skipped';
      const inner = outcome === 'passed' ? '' : `<${element}${attributes({ message: reason })}/>`;
      const about = { classname: `§${clause} ${id}`, name: must, time: milliseconds / 1_000 };
      return `    <testcase${attributes(about)}>${inner}</testcase>`;
    });
    return `  <testsuite${attributes({ name: `§${clause}`, ...totals(part) })}>\n${cases.join('\n')}\n  </testsuite>`;
  });
  const name = 'kontoport conformance';
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites${attributes({ name, ...totals(results) })}>
${suites.join('\n')}
</testsuites>
`;
}

/** Writes the results as a page that needs no other file. */
export function htmlReport(results: readonly Result[], about: { target: string; at: Date }): string {
  const clauses = [...byClause(results)].map(
    ([clause, part]) =>
      html`<section class="card">
        <h2>§${clause}</h2>
        <ul>
          ${part.map(
            ({ id, must, outcome, reason }) =>
              html`<li>
                <strong>${outcome}</strong> ${must} <span class="soft">${id}</span>
                ${reason === undefined ? undefined : html`<p class="${outcome === 'failed' ? 'fault' : 'soft'}">${reason}</p>`}
              </li>`,
          )}
        </ul>
      </section>`,
  );
  const page = new Shell().render({
    language: 'en',
    title: 'Conformance',
    body: html`<p>${summary(results)}.</p>
      <p class="soft">${about.target}, ${about.at.toISOString()}</p>
      ${clauses}`,
  });
  // Browsers reject frame-ancestors outside of a header.
  const policy = page.headers['content-security-policy']!.replace(/; frame-ancestors .*$/, '');
  const meta = html`<meta http-equiv="Content-Security-Policy" content="${policy}" />`;
  return page.html.replace('<meta charset="utf-8" />', (charset) => `${charset}\n${meta.text}`);
}
