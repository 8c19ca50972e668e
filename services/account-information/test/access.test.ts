import { randomUUID } from 'node:crypto';
import { ask } from '@kontoport/testing/answer';
import { withFreshDirectory } from '@kontoport/testing/fresh-directory';
import { age, consentScene } from './consent-scene.ts';
import { type Reader, type Running, startAccountInformation } from './running.ts';
import { readTopic, type TopicReader } from './topic-reader.ts';

let running: Running;
let topic: TopicReader;
beforeAll(async () => {
  running = await startAccountInformation();
  topic = await readTopic(running.brokers);
});
afterAll(async () => {
  await topic.close();
  await running.close();
});

type Roles = ('PSP_AI' | 'PSP_PI')[];

/** The answers of every route to a token: the names of the accounts, and the statuses for each account. */
interface Seen {
  listed: string[];
  flat: number;
  v2: number;
  deeper: number;
  detail: number;
  funds: number[];
  pays: boolean;
}

const NOTHING = { flat: 404, v2: 404, deeper: 404, detail: 404 };
const READS = { flat: 200, v2: 200, deeper: 200, detail: 200 };
const FUNDS = { funds: [200, 200], pays: true };
const NO_FUNDS = { funds: [404, 404], pays: false };

/** A client without its automatic consents, with the accounts of one user and a function that gives a consent for them. */
async function scene() {
  const tpp = await running.addTpp();
  const { clientId } = tpp;
  const { accounts, ask: consentFor } = await consentScene(running, { clientId });
  const [main, budget] = accounts.map(({ accountId }) => accountId);
  const { pending, posted, nextCursor } = await tpp.page(main!, { limit: 1 });
  const transactionId = [...pending, ...posted][0]!.id;
  for (const { consentId, userId } of (await running.listConsents(clientId)).consents)
    await running.revokeConsent(consentId, userId);
  const give = async (roles: Roles, accountIds = [main!]) => {
    const asked = consentFor({ roles, accountIds });
    await running.createConsent(asked);
    return asked;
  };
  /** Returns the answers to a token of the client itself, or of the consent. */
  const sees = async (consentId?: string, accountId = main!): Promise<Seen> =>
    look(tpp, { consentId, accountId, transactionId, cursor: nextCursor! });
  return { tpp, clientId, main: main!, budget: budget!, transactionId, cursor: nextCursor!, give, sees };
}

async function look(
  { tpp, clientId }: Reader,
  what: { consentId?: string | undefined; accountId: string; transactionId: string; cursor: string },
): Promise<Seen> {
  const { consentId, accountId, transactionId, cursor } = what;
  const headers = await tpp.headers(consentId === undefined ? {} : { consentId });
  const get = (path: string) => withFreshDirectory(() => ask('GET', running.origin + path, { headers }));
  const question = { accountId, amount: 1, currency: 'DKK' };
  const asked = new URLSearchParams({ ...question, amount: '1' }).toString();
  const [listed, flat, v2, deeper, detail, ...funds] = await Promise.all([
    get('/accounts'),
    get(`/accounts/${accountId}/transactions`),
    get(`/v2/accounts/${accountId}/transactions`),
    get(`/v2/accounts/${accountId}/transactions?limit=1&cursor=${encodeURIComponent(cursor)}`),
    get(`/accounts/${accountId}/transactions/${transactionId}`),
    get(`/funds-confirmation?${asked}`),
    withFreshDirectory(() =>
      ask('POST', `${running.origin}/funds-confirmation`, { headers, body: question }),
    ),
  ]);
  expect(listed.status).toBe(200);
  const refused = [flat, v2, deeper, detail, ...funds].filter(({ status }) => status !== 200);
  for (const { body } of refused) expect(body.errorCode).toBe('RESOURCE_UNKNOWN');
  const pays = await running.getAccount(clientId, accountId, { consentId: consentId ?? '' }).then(
    () => true,
    (error: unknown) => {
      expect(error).toMatchObject({ code: 'RESOURCE_UNKNOWN' });
      return false;
    },
  );
  return {
    listed: (listed.body.accounts as { id: string }[]).map(({ id }) => id),
    flat: flat.status,
    v2: v2.status,
    deeper: deeper.status,
    detail: detail.status,
    funds: funds.map(({ status }) => status),
    pays,
  };
}

describe('a consent opens its accounts for its roles alone (§4.3, §5.9)', () => {
  it('without any consent every account is unknown, and the list is empty', async () => {
    const { sees } = await scene();
    expect(await sees()).toEqual({ listed: [], ...NOTHING, ...NO_FUNDS });
  });

  it.each<[Roles, object]>([
    [['PSP_AI'], { ...READS, ...NO_FUNDS }],
    [['PSP_PI'], { ...NOTHING, ...FUNDS }],
    [['PSP_AI', 'PSP_PI'], { ...READS, ...FUNDS }],
  ])('%s, for a token of the client as for one of the consent', async (roles, seen) => {
    const { main, budget, give, sees } = await scene();
    const { consentId } = await give(roles);
    const listed = roles.includes('PSP_AI') ? [main] : [];
    expect(await sees()).toEqual({ listed, ...seen });
    expect(await sees(consentId)).toEqual({ listed, ...seen });
    expect(await sees(consentId, budget)).toEqual({ listed, ...NOTHING, ...NO_FUNDS });
  });

  it('a call of another service names its role', async () => {
    const { clientId, main, give } = await scene();
    await give(['PSP_AI']);
    expect((await running.getAccount(clientId, main, { role: 'PSP_AI' })).accountId).toBe(main);
    for (const role of ['PSP_PI', 'PSP_AS', ''])
      await expect(running.getAccount(clientId, main, { role })).rejects.toMatchObject({
        code: 'RESOURCE_UNKNOWN',
      });
    await expect(
      running.getAccount(clientId, main, { role: 'PSP_AI', consentId: 'x' }),
    ).rejects.toMatchObject({ code: 'RESOURCE_UNKNOWN' });
  });

  it('makes the clients that may read postings their audience (§6)', async () => {
    const { clientId, main, give } = await scene();
    const post = async () => {
      const { transactionId } = await running.post({ accountId: main });
      return (await topic.find(transactionId)).value.audience;
    };
    await give(['PSP_PI']);
    expect(await post()).toEqual([]);
    const reading = await give(['PSP_AI']);
    expect(await post()).toEqual([clientId]);
    await running.revokeConsent(reading.consentId, reading.userId);
    expect(await post()).toEqual([]);
  });
});

describe('a token of a user sees its own consent alone (§4.3, §5.9)', () => {
  it('of two consents of one client each token sees one, and the client itself both', async () => {
    const { main, budget, give, sees } = await scene();
    const [reading, paying] = [await give(['PSP_AI'], [main]), await give(['PSP_PI'], [main, budget])];
    expect(await sees(reading.consentId)).toEqual({ listed: [main], ...READS, ...NO_FUNDS });
    expect(await sees(paying.consentId)).toEqual({ listed: [], ...NOTHING, ...FUNDS });
    expect(await sees()).toEqual({ listed: [main], ...READS, ...FUNDS });
    expect(await sees(paying.consentId, budget)).toMatchObject({ listed: [], ...FUNDS, v2: 404 });
    expect(await sees(reading.consentId, budget)).toEqual({ listed: [main], ...NOTHING, ...NO_FUNDS });
  });

  it("opens nothing under another client's consent", async () => {
    const [mine, theirs] = [await scene(), await scene()];
    const { consentId } = await theirs.give(['PSP_AI', 'PSP_PI']);
    expect(await mine.sees(consentId)).toEqual({ listed: [], ...NOTHING, ...NO_FUNDS });
    expect(await mine.sees(consentId, theirs.main)).toEqual({ listed: [], ...NOTHING, ...NO_FUNDS });
    expect(await mine.sees(undefined, theirs.main)).toEqual({ listed: [], ...NOTHING, ...NO_FUNDS });
    expect(await mine.sees(randomUUID())).toEqual({ listed: [], ...NOTHING, ...NO_FUNDS });
  });
});

describe('the end of a consent ends everything under it (§5.9)', () => {
  it.each(['revoked', 'expired'])('%s, although its token is still valid', async (how) => {
    const { main, give, sees } = await scene();
    const { consentId, userId } = await give(['PSP_AI', 'PSP_PI']);
    const other = await give(['PSP_PI']);
    expect(await sees(consentId)).toEqual({ listed: [main], ...READS, ...FUNDS });
    if (how === 'expired') await age(running, consentId, { granted: 2, ended: 1 });
    else await running.revokeConsent(consentId, userId);
    expect(await sees(consentId)).toEqual({ listed: [], ...NOTHING, ...NO_FUNDS });
    expect(await sees()).toEqual({ listed: [], ...NOTHING, ...FUNDS });
    expect(await sees(other.consentId)).toEqual({ listed: [], ...NOTHING, ...FUNDS });
  });
});
