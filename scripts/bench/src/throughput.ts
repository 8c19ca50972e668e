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

/** Requests per second over a window, every answer read whole and checked for its status. */
export async function throughput(target: Target): Promise<number> {
  return (await latencies(target)).length / (WINDOW_MS / 1_000);
}

/** The milliseconds of each request of such a window. */
export async function latencies({ origin, ...request }: Target): Promise<number[]> {
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const end = performance.now() + WINDOW_MS;
  const answers: number[] = [];
  const worker = async (): Promise<void> => {
    for (let started = performance.now(); started < end; started = performance.now()) {
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
