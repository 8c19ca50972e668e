import { until } from '@kontoport/embedded/wait';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { requestToken, sql, surroundAuth, type Surroundings, tokenHeaders } from './running.ts';

/** More than the requests of the tests. */
const LIMIT = 5_000;
/** More than a hundredth of the limit, from which on replicas share their counts. */
const ASKED = 60;

let around: Surroundings;
let replicas: string[];

beforeAll(async () => {
  around = await surroundAuth();
  const env = { RATE_LIMIT_ORGANIZATION: String(LIMIT), RATE_LIMIT_WINDOW: '1h' };
  replicas = [(await around.start(env)).origin, (await around.start(env)).origin];
});
afterAll(() => around.close());

/** Returns the outcome of a request, and the remaining requests by the replica's header. */
async function ask(origin: string, tpp: TestTpp) {
  const { status, headers, body } = await requestToken(origin, tokenHeaders(tpp));
  const [, left, seconds] = /^"organization";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
  return { status, body, left: Number(left), seconds: Number(seconds), headers };
}

describe('rates of an organization, over the replicas of a service (§8)', () => {
  it('count the requests of all replicas, and answer 429 in the form of RFC 6749', async () => {
    const [one, other] = replicas as [string, string];
    // The end of its window must not fall into the test.
    let tpp = await around.peers.addTpp();
    let first = await until(
      async () => {
        const answer = await ask(one, tpp);
        return answer.status === 200 && answer;
      },
      { what: 'a token' },
    );
    while (first.seconds < 600) {
      tpp = await around.peers.addTpp();
      first = await ask(one, tpp);
    }
    let letIn = LIMIT - first.left;
    for (; letIn < ASKED; letIn++) await ask(one, tpp);

    let asked = 0;
    await until(
      async () => {
        asked += 1;
        return (await ask(other, tpp)).left === LIMIT - letIn - asked;
      },
      { what: 'the other replica to hear of all that the first has let in' },
    );
    // The state after a third replica accepted all remaining requests.
    const { url } = around.database;
    await sql(url, 'UPDATE request_usage SET requests = $1', [LIMIT]);
    for (const replica of [one, other]) {
      const refused = await until(
        async () => {
          const answer = await ask(replica, tpp);
          return answer.status === 429 && answer;
        },
        { what: 'a replica to hear that nothing is left' },
      );
      expect(refused.left).toBe(0);
      expect(refused.body).toEqual({
        error: 'temporarily_unavailable',
        error_description: expect.stringContaining(`may make ${LIMIT} requests in 3600 seconds together`),
      });
      expect(Number(refused.headers.get('retry-after'))).toBe(refused.seconds);
      expect(refused.headers.get('ratelimit-policy')).toBe(`"organization";q=${LIMIT};w=3600`);
    }
  });

  it('refuse an organization whose name no database can store', async () => {
    const odd = await around.peers.addTpp({ organizationIdentifier: 'PSDDK-DFSA-\0' });
    const { status, headers } = await ask(replicas[0]!, odd);
    expect([status, headers.get('ratelimit')]).toEqual([401, null]);
  });

  it('are deleted when their windows have ended', async () => {
    const { url } = around.database;
    await sql(
      url,
      `INSERT INTO request_usage VALUES ('client gone', now() - interval '1 hour', 1),
                                        ('client here', now() + interval '1 hour', 1)`,
    );
    await around.start();
    const keys = async () =>
      (await sql<{ key: string }>(url, `SELECT key FROM request_usage WHERE key LIKE 'client %'`)).map(
        ({ key }) => key,
      );
    await until(async () => !(await keys()).includes('client gone'), { what: 'the sweep' });
    expect(await keys()).toEqual(['client here']);
  });
});
