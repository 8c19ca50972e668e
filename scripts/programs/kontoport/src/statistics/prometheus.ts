import { Readable, Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Day } from './quarter.model.ts';

const LIMIT_MS = 60_000;
const MAX_BYTES = 16_777_216;
const DAY_SECONDS = 86_400;

/** A series: its labels, and its value at the end of each day that has one, by date. */
export interface Series {
  labels: Readonly<Record<string, string>>;
  values: ReadonlyMap<string, number>;
}

/** Address of Prometheus. */
export interface Prometheus {
  url: URL;
  /** Bearer token, if Prometheus requires one. */
  token: string | undefined;
}

interface Answer {
  status: string;
  error?: string;
  data?: { result: { metric: Record<string, string>; values: [number, string][] }[] };
}

/**
 * Queries an expression at the end of each day.
 * @param days at least one, without a gap
 * @throws Error with Prometheus' words, or why it cannot be reached
 */
export async function askDaily(
  { url, token }: Prometheus,
  { expr, days }: { expr: string; days: readonly Day[] },
): Promise<Series[]> {
  const seconds = (day: Day): number => day.end.getTime() / 1_000;
  const start = seconds(days[0]!);
  const form = new URLSearchParams({
    query: expr,
    start: String(start),
    end: String(seconds(days.at(-1)!)),
    step: String(DAY_SECONDS),
  });
  const base = url.href.endsWith('/') ? url.href : `${url.href}/`;
  const { status, body } = await post(new URL('api/v1/query_range', base), form, token);
  const answer = parsed(body);
  if (answer?.status !== 'success')
    throw new Error(`${url.host} answers ${status}: ${answer?.error ?? 'this is no Prometheus'}`);
  return (answer.data?.result ?? []).map(({ metric, values }) => ({
    labels: metric,
    values: new Map(
      values.flatMap(([at, value]) => {
        const day = days[Math.round((at - start) / DAY_SECONDS)];
        return day === undefined ? [] : [[day.date, Number(value)] as const];
      }),
    ),
  }));
}

async function post(
  url: URL,
  body: URLSearchParams,
  token: string | undefined,
): Promise<{ status: number; body: string }> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_MS),
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    });
    const stream = answer.body === null ? Readable.from([]) : Readable.fromWeb(answer.body);
    return { status: answer.status, body: await text(stream.compose(atMost(MAX_BYTES))) };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { message?: string; code?: string } };
    throw new Error(`${url.host}: ${cause?.message || cause?.code || message}`, { cause: error });
  }
}

function atMost(bytes: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > bytes) done(new Error(`the answer is longer than ${bytes} bytes`));
      else done(null, chunk);
    },
  });
}

function parsed(body: string): Answer | undefined {
  try {
    return JSON.parse(body) as Answer;
  } catch {
    return undefined;
  }
}
