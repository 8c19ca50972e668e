import { randomUUID } from 'node:crypto';
import { ask } from '@kontoport/testing/answer';
import {
  type Caller,
  DRAFTS,
  REDIRECT,
  type RunningPayments,
  startPayments,
  TRANSFER,
} from './running-payments.ts';

let running: RunningPayments;
beforeAll(async () => {
  running = await startPayments({ settlementDelay: '1h' });
});
afterAll(() => running.close());

/** Two users of one client, with a token and an account each, and the client itself. */
async function scene() {
  const caller = await running.caller();
  const { clientId, tpp } = caller;
  const user = async () => {
    const consentId = randomUUID();
    const identity = await tpp.headers({ consentId });
    const call = (method: string, path: string, body?: unknown) =>
      ask(method, running.origin + path, { headers: identity, body });
    const account = running.bank.addAccount({ clientId, consentIds: [consentId] });
    const draft = async (senderAccountId = account): Promise<string> => {
      const draftId = randomUUID();
      expect((await call('POST', DRAFTS, { draftId, name: 'Rent' })).status).toBe(201);
      const { status } = await call('PATCH', `${DRAFTS}/${draftId}`, { ...TRANSFER, senderAccountId });
      expect(status).toBe(200);
      return draftId;
    };
    return { consentId, call, account, draft };
  };
  return { caller, one: await user(), other: await user() };
}

type Call = Caller['call'];
const approve = (call: Call, draftIds: readonly string[], requestId: string = randomUUID()) =>
  call('POST', '/payments/drafts/approve', { requestId, draftIds, redirectUrl: REDIRECT });
const statusOf = (call: Call, requestId: string) =>
  call('GET', `/payments/drafts/approve/${requestId}/status`);
const unknown = { status: 404, body: { errorCode: 'RESOURCE_UNKNOWN' } };

describe("a user's token pays under its own consent alone (§4.4, §5.9)", () => {
  it('names an account of its own, and none of another user', async () => {
    const { one, other } = await scene();
    const own = await one.call('GET', `${DRAFTS}/${await one.draft()}`);
    expect(own.body).toMatchObject({ isValid: true });
    const foreign = await one.call('GET', `${DRAFTS}/${await one.draft(other.account)}`);
    expect(foreign.body).toMatchObject({ isValid: false, validationErrors: [{ path: 'senderAccountId' }] });
  });

  it("neither reads, changes, approves nor cancels what another user's token made", async () => {
    const { one, other } = await scene();
    const draftId = await one.draft();
    const path = `${DRAFTS}/${draftId}`;
    expect(await other.call('GET', path)).toMatchObject(unknown);
    expect(await other.call('PATCH', path, { receiverName: 'Other' })).toMatchObject(unknown);
    expect(await approve(other.call, [draftId])).toMatchObject({
      status: 400,
      body: { errorCode: 'STATUS_INVALID', details: [{ path: 'draftIds.0' }] },
    });
    expect((await other.call('POST', DRAFTS, { draftId, name: 'Other' })).body.errorCode).toBe(
      'DUPLICATE_ID',
    );
    expect((await approve(one.call, [draftId])).status).toBe(200);
    expect(await other.call('DELETE', `${path}/payment`)).toMatchObject(unknown);
    expect((await one.call('GET', path)).body).toMatchObject({ status: 'PENDING', name: 'Rent' });
    expect((await one.call('DELETE', `${path}/payment`)).status).toBe(204);
  });

  it('finds no basket of another user, and cannot take its id', async () => {
    const { caller, one, other } = await scene();
    const [draftId, requestId] = [await one.draft(), randomUUID()];
    const made = await approve(one.call, [draftId], requestId);
    expect(made.status).toBe(200);
    expect(await statusOf(other.call, requestId)).toMatchObject(unknown);
    expect(await approve(other.call, [draftId], requestId)).toMatchObject({
      status: 409,
      body: { errorCode: 'IDEMPOTENCY_CONFLICT' },
    });
    expect((await approve(one.call, [draftId], requestId)).body).toEqual(made.body);
    for (const { call } of [one, caller])
      expect((await statusOf(call, requestId)).body).toMatchObject({
        drafts: [{ draftId, status: 'PENDING' }],
      });
  });

  it('does not find records that the client itself made', async () => {
    const { caller, one } = await scene();
    const draftId = await caller.validDraft(one.account);
    expect(await one.call('GET', `${DRAFTS}/${draftId}`)).toMatchObject(unknown);
  });
});

describe('a token of the client itself has all drafts of the client (§4.4)', () => {
  it('approves those of several users together, each under its own consent', async () => {
    const { caller, one, other } = await scene();
    const draftIds = [await one.draft(), await other.draft(), await caller.validDraft(one.account)];
    expect((await approve(caller.call, draftIds)).status).toBe(200);
    for (const draftId of draftIds) expect(await caller.status(draftId)).toBe('PENDING');
  });

  it("gives a user's draft no account of another user", async () => {
    const { caller, one, other } = await scene();
    const draftId = await one.draft();
    const { body } = await caller.call('PATCH', `${DRAFTS}/${draftId}`, { senderAccountId: other.account });
    expect(body).toMatchObject({ isValid: false, validationErrors: [{ path: 'senderAccountId' }] });
  });

  it("approves no payment after the end of the user's consent", async () => {
    const { caller, one } = await scene();
    const draftId = await one.draft();
    running.bank.closeAccess(one.account);
    for (const call of [caller.call, one.call])
      expect(await approve(call, [draftId])).toMatchObject({
        status: 400,
        body: { errorCode: 'STATUS_INVALID', details: [{ path: 'draftIds.0' }] },
      });
  });
});
