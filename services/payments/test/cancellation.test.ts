import { until } from '@kontoport/embedded/wait';
import { type Caller, DRAFTS, type RunningPayments, startPayments } from './running-payments.ts';

let service: RunningPayments;
let tpp: Caller;
let account: string;

beforeAll(async () => {
  service = await startPayments({ settlementDelay: '100ms' });
  tpp = await service.caller();
});
beforeEach(() => {
  account = service.bank.addAccount({ clientId: tpp.clientId });
});
afterAll(() => service.close());

const cancel = (draftId: string) => tpp.call('DELETE', `${DRAFTS}/${draftId}/payment`);
const read = async (draftId: string) => (await tpp.call('GET', `${DRAFTS}/${draftId}`)).body;

/** Approves a draft, and waits until its posting reaches the bank, which holds it. */
async function atTheDoor(): Promise<string> {
  const draftId = await tpp.validDraft(account);
  await tpp.approve([draftId]);
  await until(() => service.bank.arrived.some((post) => post.accountId === account), {
    what: 'the posting',
  });
  return draftId;
}

describe('a cancellation is decided by the ledger (§3.2)', () => {
  it('wins over a posting in flight, which then books nothing', async () => {
    const release = service.bank.hold(account);
    const draftId = await atTheDoor();
    const { paymentId } = await read(draftId);
    expect((await cancel(draftId)).status).toBe(204);
    expect(await tpp.status(draftId)).toBe('CREATED');
    expect((await tpp.approve([draftId])).status).toBe(200);
    release();
    await tpp.reaches(draftId, 'COMPLETED');
    expect((await read(draftId)).paymentId).not.toBe(paymentId);
    expect(service.bank.booked.has(paymentId as string)).toBe(false);
    expect(service.bank.available(account)).toBe('874.50');
  });

  it('is 409 for a payment that was booked with a lost answer, and the draft is COMPLETED at once', async () => {
    const release = service.bank.hold(account);
    const draftId = await atTheDoor();
    // The answers to the posting and, should it come first, to its repetition.
    service.bank.loseAnswers(1);
    release();
    await until(() => service.bank.available(account) === '874.50', { what: 'the booking' });
    const answer = await until(
      async () => {
        const given = await cancel(draftId);
        return given.status !== 503 && given;
      },
      { what: 'the bank to answer' },
    );
    expect([answer.status, answer.body.errorCode]).toEqual([409, 'STATUS_INVALID']);
    expect(answer.body.message).toBe('The draft is COMPLETED; that does not allow this.');
    expect(await tpp.status(draftId)).toBe('COMPLETED');
    expect(service.bank.available(account)).toBe('874.50');
  });

  it('is 503 while the ledger is away, and nothing has changed: the payment is settled when it is back', async () => {
    const release = service.bank.hold(account);
    const draftId = await atTheDoor();
    const absence = await service.bank.leave();
    release();
    await until(() => absence.calls() > 0, { what: 'another attempt to post' });
    const answer = await cancel(draftId);
    expect([answer.status, answer.body.errorCode]).toEqual([503, 'UNAVAILABLE']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await tpp.status(draftId)).toBe('PENDING');
    await service.bank.comeBack();
    await tpp.reaches(draftId, 'COMPLETED');
  });

  it('is found by the settlement if it was not stored, and is no rejection', async () => {
    const release = service.bank.hold(account);
    const draftId = await atTheDoor();
    const { paymentId } = await read(draftId);
    service.bank.loseAnswers(1);
    expect((await cancel(draftId)).status).toBe(503);
    expect(await tpp.status(draftId)).toBe('PENDING');
    release();
    const { body } = await tpp.reaches(draftId, 'CREATED');
    expect(body).not.toHaveProperty('paymentId');
    expect(body).not.toHaveProperty('rejection');
    expect(service.bank.booked.has(paymentId as string)).toBe(false);
    const again = await cancel(draftId);
    expect([again.status, again.body.errorCode]).toEqual([404, 'RESOURCE_UNKNOWN']);
  });
});
