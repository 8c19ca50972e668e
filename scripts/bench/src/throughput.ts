import { Pool } from 'undici';

export const CONNECTIONS = 16;
export const WINDOW_MS = 3_000;

/** What is asked, again and again. */
export interface Target {
  origin: string;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** The milliseconds of each request over a window, every answer read whole and checked for its status. */
export function latenciesOfWindow(target: Target): Promise<number[]> {
  const end = performance.now() + WINDOW_MS;
  return latencies(target, () => performance.now() < end);
}

/** The milliseconds of each request, as long as more are wanted. */
export async function latencies({ origin, ...request }: Target, wanted: () => boolean): Promise<number[]> {
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const answers: number[] = [];
  const worker = async (): Promise<void> => {
    while (wanted()) {
      const started = performance.now();
      const { statusCode, body } = await pool.request(request);
      if (statusCode !== 200)
        throw new Error(`${origin}${request.path} answered ${statusCode}: ${await body.text()}`);
      await body.arrayBuffer();
      answers.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  await pool.close();
  return answers;
}

/** The same of so many requests. */
export function latenciesOf(target: Target, count: number): Promise<number[]> {
  let left = count;
  return latencies(target, () => left-- > 0);
}
