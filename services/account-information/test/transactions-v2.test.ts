import { randomUUID } from 'node:crypto';
import { type Reader, type Running, startAccountInformation } from './running.ts';

let running: Running;
let tpp: Reader;
let main: string;
beforeAll(async () => {
  running = await startAccountInformation();
  tpp = await running.addTpp();
  ({ id: main } = await tpp.account());
});
afterAll(() => running.close());

const ms = (text: string | null): number => Date.parse(text!);
const path = (query: string, id = main): string => `/v2/accounts/${id}/transactions${query}`;

describe('GET /v2/accounts/{accountId}/transactions (§2.8, §4.3, §9.1)', () => {
  it('separates pending and posted: statuses authorization and financial', async () => {
    const page = await tpp.page(main);
    expect(page.limit).toBe(100);
    expect(page).not.toHaveProperty('from');
    expect(page).not.toHaveProperty('to');
    expect(page.pending.length).toBeGreaterThanOrEqual(3);
    expect(new Set(page.pending.map(({ status, postingTime }) => [status, postingTime].join()))).toEqual(
      new Set(['authorization,']),
    );
    expect(page.posted).toHaveLength(100);
    expect(new Set(page.posted.map(({ status }) => status))).toEqual(new Set(['financial']));
    expect(
      page.posted.every(({ postingTime, accountId }) => postingTime !== null && accountId === main),
    ).toBe(true);
  });

  it('lists every posted transaction once, newest first, and all pending ones on every page', async () => {
    const { rows } = await running.pool.query<{ id: string }>(
      `SELECT id FROM transaction WHERE account_id = $1 AND status = 'financial' ORDER BY posting_time DESC, id DESC`,
      [main],
    );
    expect(rows.length).toBeGreaterThanOrEqual(250);
    for (const limit of [7, 100, 500])
      expect((await tpp.posted(main, { limit })).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));

    const first = await tpp.page(main, { limit: 50 });
    const second = await tpp.page(main, { limit: 50, cursor: first.nextCursor! });
    expect(second.pending).toEqual(first.pending);
  });

  it('has no nextCursor on an exact last page', async () => {
    const all = await tpp.posted(main, { limit: 500 });
    const from = all[20]!.postingTime!;
    const exact = await tpp.page(main, { limit: 20, from });
    expect(exact.posted.map(({ id }) => id)).toEqual(all.slice(0, 20).map(({ id }) => id));
    expect(exact).not.toHaveProperty('nextCursor');
    const half = await tpp.page(main, { limit: 10, from });
    const rest = await tpp.page(main, { limit: 10, from, cursor: half.nextCursor! });
    expect(rest.posted).toHaveLength(10);
    expect(rest).not.toHaveProperty('nextCursor');
    expect(await tpp.page(main, { limit: 19, from })).toHaveProperty('nextCursor');
  });

  it('applies from and to strictly: to postingTime for posted, to transactionTime for pending', async () => {
    const all = await tpp.posted(main, { limit: 500 });
    const [to, from] = [all[10]!.postingTime!, all[30]!.postingTime!];
    const inside = await tpp.page(main, { from, to });
    expect(inside.posted.map(({ id }) => id)).toEqual(all.slice(11, 30).map(({ id }) => id));
    expect({ from: inside.from, to: inside.to }).toEqual({ from, to });

    const { pending } = await tpp.page(main);
    const [newest, middle, oldest] = pending;
    expect(ms(newest!.transactionTime)).toBeGreaterThan(ms(middle!.transactionTime));
    const between = await tpp.page(main, { from: oldest!.transactionTime, to: newest!.transactionTime });
    expect(between.pending.map(({ id }) => id)).toEqual([middle!.id]);
    expect((await tpp.page(main, { from, to: from })).posted).toEqual([]);
  });

  it('reads a date without time as noon UTC, and respects a zone', async () => {
    const [newest] = (await tpp.page(main, { limit: 1 })).posted;
    const day = newest!.postingTime!.slice(0, 10);
    const noon = await tpp.page(main, { from: day });
    expect(noon.from).toBe(`${day}T12:00:00.000Z`);
    expect(noon.posted).toEqual((await tpp.page(main, { from: `${day}T14:00:00+02:00` })).posted);
    expect(noon.posted.every((transaction) => transaction.postingTime! > noon.from!)).toBe(true);
  });

  it('returns any text of a posting unchanged', async () => {
    const { id } = await tpp.account('Felles konto');
    const title = 'Brød & "Smør" \\ 🧈 \u2028';
    const message = 'line 1\nline 2\t"quoted"';
    await running.post({ accountId: id, title, message, amount: { value: '-3', currency: 'NOK' } });
    expect((await tpp.page(id, { limit: 1 })).posted[0]).toMatchObject({ title, message });
  });

  it('lists nothing for an account without transactions in the window', async () => {
    expect(await tpp.page(main, { to: '0001-01-01' })).toEqual({
      limit: 100,
      to: '0001-01-01T12:00:00.000Z',
      pending: [],
      posted: [],
    });
    expect((await tpp.page(main, { from: '9999-12-31T23:59:59.999Z' })).posted).toEqual([]);
  });
});

describe('bad input to the V2 list (§7)', () => {
  it.each([
    ['limit', '?limit=0'],
    ['limit', '?limit=501'],
    ['limit', '?limit=-1'],
    ['limit', '?limit=1e9'],
    ['limit', '?limit=1000000000'],
    ['limit', '?limit=%00'],
    ['limit', '?limit=1&limit=1'],
    ['from', '?from=2026-02-29'],
    ['from', '?from=2100-02-29'],
    ['from', '?from=2026-13-01'],
    ['from', '?from=2026-00-10'],
    ['from', '?from=2026-01-01T00:00:00%2B24:00'],
    ['from', '?from=2026-01-01T00:00:00Z%00'],
    ['from', '?from=2026-01-02&to=2026-01-01'],
    ['from', '?from=2026-01-01&from=2026-01-01'],
    ['from', `?from=${'9'.repeat(10_000)}`],
    ['to', '?to=10000-01-01'],
    ['to', '?to=%F0%9F%92%A9'],
    ['cursor', '?cursor=a&cursor=a'],
    ['offset', '?offset=0'],
    ['x'.repeat(200 - 'query.'.length), `?${'x'.repeat(10_000)}=1`],
  ])('names %s in %s', async (name, query) => {
    const { status, body } = await tpp.get(path(query));
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { errorCode: 'FORMAT_ERROR', details: [{ path: `query.${name}` }] },
    });
  });

  it('accepts the days and years at the ends of the calendar', async () => {
    for (const query of [
      '?from=2028-02-29',
      '?to=0001-01-01T00:00:00%2B01:00',
      '?to=9999-12-31T23:59:59.9999999',
      '?to=9999-12-31T23:59:59-01:00',
      '?from=2000-02-29',
      '?from=0001-01-01',
      '?to=9999-12-31',
      '?limit=500',
      '?limit=1',
    ])
      expect((await tpp.get(path(query))).status).toBe(200);
  });

  it('refuses a cursor with NUL, of 10 KB or cut at any length, and never fails', async () => {
    const cursor = (await tpp.page(main, { limit: 10 })).nextCursor!;
    const cut = Array.from({ length: cursor.length }, (_, length) => cursor.slice(0, length));
    for (const given of ['%00', `${cursor}%00`, 'A'.repeat(10_000), `${cursor}=`, ...cut])
      expect(await tpp.refusal(path(`?limit=10&cursor=${given}`))).toMatchObject({
        status: 400,
        errorCode: 'CURSOR_INVALID',
      });
  });

  it('names the parameter and what it must be', async () => {
    const { body } = await tpp.get(path('?limit=501&from=x'));
    expect(body).toMatchObject({
      errorCode: 'FORMAT_ERROR',
      requestId: expect.any(String),
      details: [
        { path: 'query.limit', message: 'must be a whole number from 1 to 500' },
        { path: 'query.from', message: expect.stringContaining('ISO 8601') },
      ],
    });
  });

  it('refuses a cursor that was altered or belongs to another request', async () => {
    const other = await tpp.account('Privatkonto');
    const stranger = await running.addTpp();
    const { id: foreign } = await stranger.account();
    const query = { limit: '10', from: '2020-01-01', to: '2099-01-01' };
    const cursor = (await tpp.page(main, query)).nextCursor!;
    expect((await tpp.page(main, { ...query, cursor })).posted).toHaveLength(10);

    const search = (change: Partial<typeof query & { cursor: string }>): string =>
      `?${new URLSearchParams({ ...query, cursor, ...change }).toString()}`;
    const refused = { status: 400, errorCode: 'CURSOR_INVALID' };
    const altered = cursor.slice(0, 9) + (cursor[9] === 'A' ? 'B' : 'A') + cursor.slice(10);
    for (const change of [
      { cursor: altered },
      { cursor: cursor.slice(0, -1) },
      { cursor: `${cursor}A` },
      { cursor: '' },
      { cursor: 'x'.repeat(5_000) },
      { limit: '11' },
      { from: '2020-01-02' },
      { to: '2099-01-02' },
    ])
      expect(await tpp.refusal(path(search(change)))).toMatchObject(refused);
    expect(await tpp.refusal(path(`?limit=10&cursor=${cursor}`))).toMatchObject(refused);
    expect(await tpp.refusal(path(search({}), other.id))).toMatchObject(refused);
    expect(await stranger.refusal(path(search({}), foreign))).toMatchObject(refused);
  });

  it('answers 404 for an unknown account, whatever the query', async () => {
    for (const query of ['?limit=5', '?limit=0', '?cursor=none', '?unknown=1'])
      expect(await tpp.refusal(path(query, randomUUID()))).toMatchObject({
        status: 404,
        errorCode: 'RESOURCE_UNKNOWN',
      });
  });
});
