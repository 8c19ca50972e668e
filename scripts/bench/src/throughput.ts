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
export async function throughput({ origin, ...request }: Target): Promise<number> {
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const end = performance.now() + WINDOW_MS;
  let answers = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      const { statusCode, body } = await pool.request(request);
      if (statusCode !== 200)
        throw new Error(`${origin}${request.path} answered ${statusCode}: ${await body.text()}`);
      await body.arrayBuffer();
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  await pool.close();
  return answers / (WINDOW_MS / 1_000);
}
