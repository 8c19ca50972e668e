import { until } from '@kontoport/embedded/wait';
import { ApiError } from '@kontoport/errors';
import { said } from '@kontoport/testing/said';
import { adapters } from '../src/adapters.ts';
import type { Bank } from '../src/domain/ports/bank.ts';
import {
  type Caller,
  DRAFTS,
  REDIRECT,
  type RunningPayments,
  startPayments,
  TRANSFER,
} from './running-payments.ts';

/** A bank that rejects every payment for a reason that it does not disclose. */
const bank = (): Bank => ({
  submit: () => Promise.reject(new ApiError('STATUS_INVALID', said('no'))),
  cancel: async () => 'cancelled',
});

describe('a bank that refuses payments for reasons of its own (§3.2, §4.5)', () => {
  let service: RunningPayments;
  let tpp: Caller;
  let account: string;

  beforeAll(async () => {
    const refusing = { ...adapters.sandbox, bank };
    service = await startPayments({
      settlementDelay: '10ms',
      adapters: { sandbox: refusing, production: refusing },
    });
    tpp = await service.caller();
    account = service.bank.addAccount({ clientId: tpp.clientId, available: '1000.00' });
  });
  afterAll(() => service.close());

  it('makes drafts REJECTED, for good: they are neither cancelled nor approved again', async () => {
    const draftId = await tpp.validDraft(account);
    expect((await tpp.approve([draftId])).status).toBe(200);
    const { body } = await tpp.reaches(draftId, 'REJECTED');
    expect(body).toMatchObject({
      paymentId: expect.any(String) as string,
      rejection: { errorCode: 'STATUS_INVALID' },
    });
    expect((await tpp.approve([draftId])).status).toBe(400);
    expect((await tpp.call('DELETE', `${DRAFTS}/${draftId}/payment`)).status).toBe(409);
  });

  it('makes single payments REJECTED, which are still there to be read', async () => {
    const path = '/payments/domestic-credit-transfer';
    const payment = { ...TRANSFER, senderAccountId: account, redirectUrl: REDIRECT };
    const { paymentId } = (await tpp.call('POST', path, payment)).body;
    const read = () => tpp.call('GET', `${path}/${String(paymentId)}`);
    await until(async () => (await read()).body.status !== 'PENDING', { what: 'the bank to refuse it' });
    expect(await read()).toMatchObject({ status: 200, body: { status: 'REJECTED' } });
    const { body } = await tpp.call('GET', `/polling/${String(paymentId)}/status`);
    expect(body).toEqual({ status: 'APPROVED', redirectUrl: REDIRECT });
  });
});
