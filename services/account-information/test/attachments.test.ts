import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { until } from '@kontoport/embedded/wait';
import { attachment, PDF } from './attachment.ts';
import { openAccount } from './bank-account.ts';
import { type Reader, type Running, startAccountInformation } from './running.ts';

let running: Running;
let tpp: Reader;
let accountId: string;
let transactionId: string;
beforeAll(async () => {
  running = await startAccountInformation();
  tpp = await running.addTpp();
  ({ accountId } = await openAccount(running, tpp));
});
beforeEach(async () => {
  ({ transactionId } = await running.post({ accountId }));
});
afterAll(() => running.close());

const pathOf = (attachmentId: string, ids = { accountId, transactionId }) =>
  `/accounts/${ids.accountId}/transactions/${ids.transactionId}/attachments/${attachmentId}`;
const download = (path: string, reader = tpp) =>
  fetch(running.origin + path, { headers: reader.headers as Record<string, string> });
const put = async (given: object = {}, content?: Buffer) =>
  (await running.feed.upload(attachment({ accountId, transactionId, ...given }, content))).attachmentId;
const idsOf = async (id = transactionId) =>
  (await tpp.get(`/accounts/${accountId}/transactions/${id}`)).body.attachmentIds as string[] | undefined;
const large = (bytes: number) => Buffer.concat([PDF, randomBytes(bytes - PDF.length)]);
const unknown = { status: 404, errorCode: 'RESOURCE_UNKNOWN' };

describe('an attachment of a transaction (§2.4)', () => {
  it('is in both lists and by id, in order of arrival; the field is absent without attachments', async () => {
    expect(await idsOf()).toBeUndefined();
    const [one, other] = [await put(), await put()];
    expect(await idsOf()).toEqual([one, other]);
    const [posted] = (await tpp.page(accountId, { limit: 1 })).posted;
    expect(posted).toMatchObject({ id: transactionId, attachmentIds: [one, other] });
    const flat = await tpp.get(`/accounts/${accountId}/transactions?limit=1`);
    expect(flat.body.transactions).toMatchObject([{ id: transactionId, attachmentIds: [one, other] }]);
  });

  it('is stored once, also by concurrent uploads, and no other one under its id', async () => {
    const attachmentId = randomUUID();
    const upload = (given: object = {}, content?: Buffer) => put({ attachmentId, ...given }, content);
    expect(new Set(await Promise.all(Array.from({ length: 4 }, () => upload())))).toEqual(
      new Set([attachmentId]),
    );
    expect(await upload()).toBe(attachmentId);
    const { transactionId: another } = await running.post({ accountId });
    for (const [given, content] of [
      [{ name: 'Andet.pdf' }],
      [{}, Buffer.from('%PDF-1.4\nother')],
      [{ transactionId: another }],
      [{ mediaType: 'image/png' }, Buffer.from('89504e470d0a1a0a00', 'hex')],
    ] as [object, Buffer?][])
      await expect(upload(given, content)).rejects.toMatchObject({ code: 'DUPLICATE_ID' });
    expect(await idsOf()).toEqual([attachmentId]);
    expect(await idsOf(another)).toBeUndefined();
  });

  it('is one of twenty at most, in any race', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 7 }, () => put()));
    expect(outcomes.every(({ status }) => status === 'fulfilled')).toBe(true);
    for (let i = 7; i < 19; i++) await put();
    const last = await Promise.allSettled(Array.from({ length: 3 }, () => put()));
    expect(last.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(await idsOf()).toHaveLength(20);
    await expect(put()).rejects.toMatchObject({ code: 'STATUS_INVALID' });
  });

  it('survives settlement, failure and enrichment', async () => {
    const ids = async (end: (id: string) => Promise<unknown>) => {
      const held = await running.authorize({
        accountId,
        type: 'card',
        amount: { value: '-1', currency: 'DKK' },
      });
      const attachmentId = await put({ transactionId: held.transactionId });
      await running.feed.enrich({
        accountId,
        transactionId: held.transactionId,
        updateMask: ['title'],
        title: 'Ny',
      });
      await end(held.transactionId);
      expect(await idsOf(held.transactionId)).toEqual([attachmentId]);
      const path = pathOf(attachmentId, { accountId, transactionId: held.transactionId });
      expect((await download(path)).status).toBe(200);
    };
    await ids((id) => running.settle({ accountId, transactionId: id }));
    await ids((id) => running.fail(id, accountId));
  });
});

describe('GET /accounts/{accountId}/transactions/{transactionId}/attachments/{attachmentId} (§4.3)', () => {
  it('returns the same bytes, to be saved under their name and never executed', async () => {
    const content = large(1_500_000);
    const attachmentId = await put({ name: 'Åre "kvit".pdf' }, content);
    const answer = await download(pathOf(attachmentId));
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '1500000',
      'content-disposition': `attachment; filename="Are _kvit_.pdf"; filename*=UTF-8''%C3%85re%20%22kvit%22.pdf`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
  });

  it.each([1, 262_143, 262_144, 262_145, 10_000_000])('returns all of %d bytes', async (bytes) => {
    const content = bytes === 1 ? PDF.subarray(0, 5) : large(bytes);
    const attachmentId = await put({}, content);
    const answer = await download(`/aisp-pisp${pathOf(attachmentId)}`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
  });

  it('returns the receipt of a simulated user', async () => {
    const { id } = await tpp.account();
    const list = await tpp.get(`/accounts/${id}/transactions?limit=500`);
    const [own] = (list.body.transactions as { id: string; attachmentIds?: string[] }[]).filter(
      ({ attachmentIds }) => attachmentIds !== undefined,
    );
    const path = pathOf(own!.attachmentIds![0]!, { accountId: id, transactionId: own!.id });
    const answer = await download(path);
    expect(answer.headers.get('content-type')).toBe('application/pdf');
    const file = Buffer.from(await answer.arrayBuffer()).toString('latin1');
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
    expect(file.slice(start, start + 4)).toBe('xref');
    for (const [, offset] of file.slice(start).matchAll(/^(\d{10}) 00000 n/gm))
      expect(file.slice(Number(offset))).toMatch(/^\d+ 0 obj/);
  });

  it('finds nothing foreign or unknown', async () => {
    const attachmentId = await put();
    const other = await running.addTpp();
    const { transactionId: another } = await running.post({ accountId });
    const account = await openAccount(running, tpp);
    for (const path of [
      pathOf(randomUUID()),
      pathOf('x'),
      pathOf(attachmentId, { accountId, transactionId: another }),
      pathOf(attachmentId, { accountId: account.accountId, transactionId }),
    ])
      expect(await tpp.refusal(path)).toMatchObject(unknown);
    expect(await other.refusal(pathOf(attachmentId))).toMatchObject(unknown);
    await running.pool.query("UPDATE consent SET roles = '{PSP_PI}' WHERE client_id = $1", [tpp.clientId]);
    expect(await tpp.refusal(pathOf(attachmentId))).toMatchObject(unknown);
    await running.pool.query("UPDATE consent SET roles = '{PSP_AI,PSP_PI}' WHERE client_id = $1", [
      tpp.clientId,
    ]);
    await running.pool.query('UPDATE consent SET revoked_at = now() WHERE client_id = $1', [tpp.clientId]);
    expect(await tpp.refusal(pathOf(attachmentId))).toMatchObject(unknown);
    await running.pool.query('UPDATE consent SET revoked_at = NULL WHERE client_id = $1', [tpp.clientId]);
    expect((await download(pathOf(attachmentId))).status).toBe(200);
  });
});

describe('downloads of one organization (§8)', () => {
  it('are eight at a time; a client that does not read delays no other, and its places are freed', async () => {
    const attachmentId = await put({}, large(10_000_000));
    // A refused download does not count.
    const silent = [];
    while (silent.length < 8)
      silent.push(
        await until(
          async () => {
            const begun = await startAndStop(running.origin + pathOf(attachmentId), tpp);
            if (begun.status !== 200) begun.end();
            return begun.status === 200 && begun;
          },
          { what: 'a download' },
        ),
      );
    const refused = await download(pathOf(attachmentId));
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBeTruthy();
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('Too many attachments') });

    const other = await running.addTpp();
    const own = await openAccount(running, other);
    const booked = await running.post({ accountId: own.accountId });
    const theirs = { accountId: own.accountId, transactionId: booked.transactionId };
    const theirId = await put(theirs);
    expect((await download(pathOf(theirId, theirs), other)).status).toBe(200);
    expect((await tpp.get(`/accounts/${accountId}/transactions`)).status).toBe(200);

    for (const { end } of silent) end();
    await until(async () => (await download(pathOf(attachmentId))).status === 200, {
      what: 'the places of those who left',
    });
  });
});

describe('bad input to Ledger.PutAttachment', () => {
  it('is refused, and nothing is stored', async () => {
    const png = Buffer.from('89504e470d0a1a0a00', 'hex');
    const faults: [string, object, Buffer?][] = [
      ['attachmentId', { attachmentId: 'x' }],
      ['name', { name: '' }],
      ['name', { name: '../x.pdf' }],
      ['name', { name: 'x'.repeat(151) }],
      ['mediaType', { mediaType: 'text/html' }],
      ['mediaType', { mediaType: 'image/svg+xml' }],
      ['mediaType', { mediaType: 'image/png' }],
      ['mediaType', { mediaType: 'application/pdf' }, png],
      ['transactionId', { transactionId: '' }],
    ];
    for (const [path, given, content] of faults)
      await expect(put(given, content)).rejects.toMatchObject({ code: 'FORMAT_ERROR', details: [{ path }] });
    const broken = { code: 'FORMAT_ERROR' };
    const [head, content] = attachment({ accountId, transactionId });
    for (const messages of [[], [head!], [content!, head!], [head!, head!, content!], [head!, {}]])
      await expect(running.feed.upload(messages)).rejects.toMatchObject(broken);
    await expect(put({}, large(10_000_001))).rejects.toMatchObject(broken);
    await expect(put({ transactionId: randomUUID() })).rejects.toMatchObject({ code: 'RESOURCE_UNKNOWN' });
    expect(await idsOf()).toBeUndefined();
    expect(
      (await running.pool.query('SELECT FROM attachment WHERE transaction_id = $1', [transactionId]))
        .rowCount,
    ).toBe(0);
  });
});

/** Begins a download and reads none of its content. */
function startAndStop(url: string, { headers }: Reader): Promise<{ status: number; end: () => void }> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { headers, agent: false }, (answer) => {
      answer.pause();
      resolve({ status: answer.statusCode!, end: () => asking.destroy() });
    });
    asking.on('error', reject);
    asking.end();
  });
}
