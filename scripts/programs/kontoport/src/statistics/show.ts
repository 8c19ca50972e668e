import type { Figures } from './figures.model.ts';

/** Figures of an interface in a day, or in the ended days of the quarter. */
export interface Row extends Figures {
  interface: string;
  /** `YYYY-MM-DD`, or the quarter. */
  period: string;
}

interface Report {
  quarter: string;
  rows: readonly Row[];
}

const percent = (share: number | null): string => (share === null ? '-' : `${(100 * share).toFixed(3)} %`);

/** Formats a table of each interface for people. */
export function toText({ rows }: Report): string {
  const head = ['', 'available', 'down', 'average', 'errors', 'requests', 'measured'];
  const tables = [...Map.groupBy(rows, (row) => row.interface)].map(([name, own]) => {
    const lines = own.map((row) => [
      row.period,
      percent(row.availability),
      percent(row.downtime),
      row.average === null ? '-' : `${row.average.toFixed(1)} ms`,
      percent(row.errorRate),
      String(row.requests),
      percent(row.measured),
    ]);
    return `${name}\n${[head, ...lines].map(lineOf).join('\n')}\n`;
  });
  return tables.join('\n');
}

function lineOf([period = '', ...cells]: readonly string[]): string {
  return `  ${period.padEnd(10)}${cells.map((cell) => cell.padStart(12)).join('')}`;
}

/** Formats the figures for spreadsheets (RFC 4180): shares of 1, milliseconds; an unknown figure is empty. */
export function toCsv({ rows }: Report): string {
  const head = 'interface,period,availability,downtime,average_ms,error_rate,requests,measured';
  const lines = rows.map((row) =>
    [
      row.interface,
      row.period,
      row.availability,
      row.downtime,
      row.average,
      row.errorRate,
      row.requests,
      row.measured,
    ]
      .map((cell) => (typeof cell === 'number' ? Number(cell.toFixed(6)) : (cell ?? '')))
      .join(','),
  );
  return [head, ...lines].map((line) => `${line}\r\n`).join('');
}

/** Formats the figures for programs. */
export function toJson({ quarter, rows }: Report): string {
  return `${JSON.stringify({ quarter, rows }, undefined, 2)}\n`;
}
