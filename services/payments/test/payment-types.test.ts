import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { parseMoney } from '@kontoport/money';
import { servesOnlyHere } from '@kontoport/testing/own-paths';
import { z } from 'zod';
import { finding, type PaymentFields } from '../src/domain/payment-types/payment-type.model.ts';
import type { PaymentTypeRules } from '../src/domain/payment-types/payment-type.ts';
import { PAYMENT_TYPES } from '../src/domain/payment-types/payment-types.ts';
import { TEXTS } from '../src/domain/texts.ts';
import { type Caller, type RunningPayments, startPayments } from './running-payments.ts';

interface ChequeFields extends PaymentFields {
  readonly chequeNumber?: string | undefined;
  readonly amount?: string | undefined;
}

/** A payment type that the interface does not have: settled at once, and without cancellation. */
const cheque: PaymentTypeRules<ChequeFields> = {
  title: 'cheque',
  example: { chequeNumber: '4711', amount: '100.00' },
  onApproval: 'settle-at-once',
  onDeletion: 'not-offered',
  fields: z
    .strictObject({ senderAccountId: z.string(), chequeNumber: z.string(), amount: z.string() })
    .partial(),
  validate({ chequeNumber, amount }, senderAccount) {
    const errors = [
      ...(chequeNumber === undefined ? [finding('chequeNumber', TEXTS('missing'))] : []),
      ...(amount === undefined ? [finding('amount', TEXTS('missing'))] : []),
      ...(senderAccount === undefined ? [finding('senderAccountId', TEXTS('account-not-open'))] : []),
    ];
    return { errors, warnings: [] };
  },
  posting({ chequeNumber = '', amount = '' }) {
    return {
      type: 'unknown',
      title: `Cheque ${chequeNumber}`,
      amount: parseMoney(amount, 'DKK'),
      creditor: { name: 'Bearer' },
      additionalInformation: { chequeNumber },
    };
  },
};

const CHEQUES = '/payments/drafts/cheque';
servesOnlyHere(CHEQUES);

let service: RunningPayments;
let tpp: Caller;
let account: string;

beforeAll(async () => {
  service = await startPayments({ settlementDelay: '1h', paymentTypes: { ...PAYMENT_TYPES, cheque } });
  tpp = await service.caller();
  account = service.bank.addAccount({ clientId: tpp.clientId });
});
afterAll(() => service.close());

const validCheque = async (): Promise<string> => {
  const draftId = randomUUID();
  expect((await tpp.call('POST', CHEQUES, { draftId, name: 'Gift' })).status).toBe(201);
  const fields = { chequeNumber: '4711', amount: '100.00', senderAccountId: account };
  expect((await tpp.call('PATCH', `${CHEQUES}/${draftId}`, fields)).body.isValid).toBe(true);
  return draftId;
};

describe('another payment type is one more row (§4.4)', () => {
  it('has the fields and rules of its row', async () => {
    const draftId = randomUUID();
    const created = await tpp.call('POST', CHEQUES, { draftId, name: 'Gift' });
    expect(created.body).toMatchObject({ paymentType: 'cheque', status: 'CREATED', isValid: false });
    const path = `${CHEQUES}/${draftId}`;
    const { body } = await tpp.call('PATCH', path, { chequeNumber: '4711', senderAccountId: account });
    expect(body).toMatchObject({
      chequeNumber: '4711',
      isValid: false,
      validationErrors: [{ path: 'amount', message: 'is missing' }],
    });
    expect((await tpp.call('PATCH', path, { amount: '1.00' })).body.isValid).toBe(true);
    const foreign = await tpp.call('PATCH', path, { receiverAccountBban: '00400440116243' });
    expect([foreign.status, foreign.body.errorCode]).toEqual([400, 'FORMAT_ERROR']);
  });

  it('is approved together with other types, each settled after the delay of its row (§3.2)', async () => {
    const draftId = await validCheque();
    const transfer = await tpp.validDraft(account);
    const requestId = randomUUID();
    expect((await tpp.approve([transfer, draftId], requestId)).status).toBe(200);
    const settled = await until(
      async () => {
        const { body } = await tpp.call('GET', `${CHEQUES}/${draftId}`);
        return body.status === 'COMPLETED' && body;
      },
      { what: 'the cheque to be settled' },
    );
    expect(await tpp.status(transfer)).toBe('PENDING');
    expect(service.bank.booked.get(settled.paymentId as string)).toMatchObject({
      accountId: account,
      type: 'unknown',
      title: 'Cheque 4711',
      message: 'Gift',
      amount: { value: '-100.00', currency: 'DKK' },
      recipientBban: '',
      debtor: { name: 'Test Owner', accountScheme: 'BBAN', accountIdentification: '00400440116251' },
      creditor: { name: 'Bearer', accountScheme: '', accountIdentification: '' },
      additionalInformation: { chequeNumber: '4711' },
    });
  });
});
