import { until } from '@kontoport/embedded/wait';
import { postingFor, publish } from './running.ts';
import { openScene, type Scene } from './scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene({ WEBHOOK_RETRY_SCHEDULE: '0s,1h' });
});

afterAll(() => scene.close());

/** Hours until the second attempt, after a first one that was answered like this. */
async function plannedHours(status: number, headers: Record<string, string>): Promise<number> {
  const { tpp, subscription } = await scene.subscriber(
    (response) => void response.writeHead(status, headers).end(),
  );
  await publish(scene.parts.producer, [postingFor([tpp])]);
  return until(
    async () => {
      const { rows } = await scene.parts.pool.query<{ hours: number }>(
        `SELECT extract(epoch FROM due_at - now())::float8 / 3600 AS hours FROM delivery
         WHERE subscription_id = $1 AND attempts = 1`,
        [subscription.internalId],
      );
      return rows[0]?.hours;
    },
    { what: 'the first attempt' },
  );
}

describe('Retry-After (§6: honoured within 1–2 times the planned wait, ±20 %)', () => {
  it.each([429, 503])('of a day with %d doubles a planned hour', async (status) => {
    const hours = await plannedHours(status, { 'retry-after': '86400' });
    expect(hours).toBeGreaterThan(1.59);
    expect(hours).toBeLessThanOrEqual(2.4);
  });

  it('counts with 429 and 503 only', async () => {
    expect(await plannedHours(500, { 'retry-after': '86400' })).toBeLessThanOrEqual(1.2);
  });
});
