import { until } from '@kontoport/embedded/wait';
import { PostRequest } from '@kontoport/proto/accounts/v1';
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

const paymentOf = async (draftId: string): Promise<string> =>
  (await tpp.call('GET', `${DRAFTS}/${draftId}`)).body.paymentId as string;

describe('PENDING, elapsed time: COMPLETED, and a posted transaction on the sender account (§3.2)', () => {
  it('posts the payment with all fields of the transaction', async () => {
    const draftId = await tpp.validDraft(account);
    await tpp.approve([draftId]);
    const paymentId = await paymentOf(draftId);
    expect((await tpp.reaches(draftId, 'COMPLETED')).body.paymentId).toBe(paymentId);
    expect(service.bank.available(account)).toBe('874.50');
    const { transactionTime, ...posting } = service.bank.booked.get(paymentId)!;
    expect(Date.now() - transactionTime!.getTime()).toBeLessThan(60_000);
    expect(posting).toEqual(
      PostRequest.fromPartial({
        transactionId: paymentId,
        accountId: account,
        amount: { value: '-125.50', currency: 'DKK' },
        type: 'domesticCreditTransfer',
        title: 'Receiver',
        message: 'Rent',
        recipientBban: '00400440116243',
        debtor: { name: 'Test Owner', accountScheme: 'BBAN', accountIdentification: '00400440116251' },
        creditor: { name: 'Receiver', accountScheme: 'BBAN', accountIdentification: '00400440116243' },
        requireFunds: true,
      }),
    );
  });

  it('refuses to cancel a payment that is settled, and leaves it settled', async () => {
    const draftId = await tpp.validDraft(account);
    await tpp.approve([draftId]);
    await tpp.reaches(draftId, 'COMPLETED');
    for (const [method, path, body] of [
      ['DELETE', `${DRAFTS}/${draftId}/payment`, undefined],
      ['PATCH', `${DRAFTS}/${draftId}`, { amount: '1' }],
      ['DELETE', `${DRAFTS}/${draftId}`, undefined],
    ] as const) {
      const answer = await tpp.call(method, path, body);
      expect([answer.status, answer.body.errorCode]).toEqual([409, 'STATUS_INVALID']);
    }
    expect(await tpp.status(draftId)).toBe('COMPLETED');
  });

  it('rejects a payment without funds, with the reason', async () => {
    const [first, second] = [await tpp.validDraft(account, '600'), await tpp.validDraft(account, '600')];
    await tpp.approve([first]);
    await tpp.reaches(first, 'COMPLETED');
    await tpp.approve([second]);
    await tpp.reaches(second, 'REJECTED');
    const { body } = await tpp.call('GET', `${DRAFTS}/${second}`);
    expect(body.rejection).toEqual({
      errorCode: 'FUNDS_INSUFFICIENT',
      message: 'The available amount of the account does not cover 600.00 DKK.',
    });
    expect(service.bank.available(account)).toBe('400.00');
    const cancelled = await tpp.call('DELETE', `${DRAFTS}/${second}/payment`);
    expect([cancelled.status, cancelled.body.errorCode]).toEqual([409, 'STATUS_INVALID']);
    expect((await tpp.call('DELETE', `${DRAFTS}/${second}`)).status).toBe(204);
    expect((await tpp.call('GET', `${DRAFTS}/${second}`)).status).toBe(404);
  });

  it('settles a payment of a client that is deleted meanwhile: its user approved it', async () => {
    const leaving = await service.caller();
    const itsAccount = service.bank.addAccount({ clientId: leaving.clientId });
    const draftId = await leaving.validDraft(itsAccount);
    await leaving.approve([draftId]);
    service.peers.deleteTpp(leaving.tpp);
    await until(() => service.bank.arrived.some((post) => post.accountId === itsAccount), {
      what: 'the posting',
    });
    expect(service.bank.available(itsAccount)).toBe('874.50');
  });
});

describe('no money moves twice or is lost (§3.2)', () => {
  it('repeats a posting after a lost answer, and moves the money once', async () => {
    service.bank.loseAnswers(2);
    const draftId = await tpp.validDraft(account);
    await tpp.approve([draftId]);
    await tpp.reaches(draftId, 'COMPLETED');
    const posts = service.bank.arrived.filter((post) => post.accountId === account);
    expect(posts).toHaveLength(3);
    expect(new Set(posts.map((post) => JSON.stringify(PostRequest.toJSON(post)))).size).toBe(1);
    expect(service.bank.available(account)).toBe('874.50');
  });
});

describe('SIGTERM drains', () => {
  it('finishes the postings that began before it closes', async () => {
    const closing = await startPayments({ settlementDelay: '0ms' });
    const client = await closing.caller();
    const itsAccount = closing.bank.addAccount({ clientId: client.clientId });
    const release = closing.bank.hold();
    await client.approve([await client.validDraft(itsAccount)]);
    await until(() => closing.bank.arrived.length === 1, { what: 'the posting' });
    let closed = false;
    const close = closing.close().then(() => (closed = true));
    await until(async () => !(await reachable(closing.origin)), { what: 'the doors to close' });
    expect(closed).toBe(false);
    release();
    await close;
    expect(closing.bank.available(itsAccount)).toBe('874.50');
  });
});

async function reachable(origin: string): Promise<boolean> {
  return fetch(origin).then(
    () => true,
    () => false,
  );
}
