import { type SpanEnd, startClientSpan } from '@kontoport/runtime';
import type pg from 'pg';

/** Of the driver, whose queries are asked for in several ways: they end with a callback or a promise. */
type Ask = (what: Asked, ...more: unknown[]) => unknown;
type Asked = string | { name?: string; text: string; summary?: string; submit?: unknown; callback: Callback };
type Callback = (error: unknown, result?: unknown) => void;

/**
 * The queries of a connection, each with its callback from the beginning: what one brings that gets its callback later, as the driver
 * does for a promise, lives on until the old generation is collected (ADR 111). They have a span each where the active trace is recorded. It is named by the name of the statement, else by
 * what it does with which table; neither its text nor its values are told, nor what the database says of an error but its code.
 */
export function traceQueries(client: pg.Client): pg.Client['query'] {
  const query = client.query.bind(client) as Ask;
  const ask: Ask = (what, ...more) => {
    const isSubmitted = typeof what === 'object' && what.submit !== undefined;
    if (isSubmitted || more.some((one) => typeof one === 'function')) return query(what, ...more);
    return new Promise((resolve, reject) => {
      query(what, ...more, (error: unknown, result: unknown) => (error ? reject(error) : resolve(result)));
    }).catch((error: Error) => {
      // As the driver does: its stack leads to a socket, and from here to whoever asked.
      Error.captureStackTrace(error);
      throw error;
    });
  };
  const place = { 'db.system.name': 'postgresql', 'db.namespace': client.database ?? '' };
  const traced: Ask = (what, ...more) => {
    const span = startClientSpan(() => {
      const name = summaryOf(what);
      return { name, attributes: { ...place, 'db.query.summary': name } };
    });
    if (span === undefined) return ask(what, ...more);
    const end = (error?: unknown): void => span.end(endOf(error));
    const ended =
      (callback: Callback): Callback =>
      (error, result) => {
        end(error);
        callback(error, result);
      };
    const at = more.findLastIndex((one) => typeof one === 'function');
    if (at >= 0) return ask(what, ...more.with(at, ended(more[at] as Callback)));
    if (typeof what === 'object' && what.submit !== undefined) {
      what.callback = ended(what.callback);
      return ask(what, ...more);
    }
    const answer = ask(what, ...more) as Promise<unknown>;
    answer.then(() => end(), end);
    return answer;
  };
  return traced as unknown as pg.Client['query'];
}

/** Of a statement, or of several that are sent together. */
export function summaryOf(
  what: string | { name?: string | undefined; text: string; summary?: string },
): string {
  if (typeof what === 'string') return firstWords(what);
  return what.summary ?? what.name ?? firstWords(what.text);
}

function firstWords(text: string): string {
  const [, operation = 'query'] = /^\s*(\w+)/.exec(text) ?? [];
  const [, table] = /\b(?:FROM|INTO|UPDATE)\s+(?:"?\w+"?\.)?"?([a-z_]\w*)/i.exec(text) ?? [];
  return table === undefined ? operation.toUpperCase() : `${operation.toUpperCase()} ${table}`;
}

function endOf(error: unknown): SpanEnd {
  if (!error) return { attributes: {}, isError: false };
  const { code, name } = error as { code?: unknown; name: string };
  return {
    attributes:
      typeof code === 'string'
        ? { 'error.type': code, 'db.response.status_code': code }
        : { 'error.type': name },
    isError: true,
  };
}
