import { randomBytes, randomUUID } from 'node:crypto';
import { createClient, startGrpcServer, unary } from '@kontoport/grpc';
import { createLogger } from '@kontoport/lifecycle';
import {
  type AuthenticateRequest,
  AuthenticateResponse,
  AuthenticationStatus,
  type CancelPaymentRequest,
  CancelPaymentResponse,
  PaymentServiceClient,
  PaymentServiceService,
  PaymentStatus,
  RejectionReason,
  StrongAuthenticationServiceClient,
  StrongAuthenticationServiceService,
  type SubmitPaymentRequest,
  SubmitPaymentResponse,
} from '@kontoport/proto/bank/v1';
import { bankAuthentication } from '../src/bank/bank-authentication.ts';
import { bankConnector } from '../src/bank/bank-connector.ts';
import type { SummarizedPayment } from '../src/domain/approval-summary.model.ts';
import { paymentOf } from '../src/domain/draft.model.ts';
import type { PaymentOrder } from '../src/domain/ports/bank.ts';
import { codeOf, transferOf } from './bank.conformance.ts';

/** A bank that returns the configured answers, and stores the requests. */
async function openScriptedBank() {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const heard = {
    submitted: [] as SubmitPaymentRequest[],
    cancelled: [] as CancelPaymentRequest[],
    asked: [] as AuthenticateRequest[],
  };
  const says = {
    submitted: SubmitPaymentResponse.fromPartial({}),
    cancelled: CancelPaymentResponse.fromPartial({}),
    asked: AuthenticateResponse.fromPartial({}),
  };
  const answering = <Kind extends keyof typeof heard>(kind: Kind) =>
    unary<(typeof heard)[Kind][number], (typeof says)[Kind]>(logger, async (request) => {
      (heard[kind] as unknown[]).push(request);
      return says[kind];
    });
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    rpcs: [
      {
        definition: PaymentServiceService,
        implementation: { submitPayment: answering('submitted'), cancelPayment: answering('cancelled') },
      },
      {
        definition: StrongAuthenticationServiceService,
        implementation: { authenticate: answering('asked') },
      },
    ],
  });
  const payments = createClient(PaymentServiceClient, `127.0.0.1:${server.port}`);
  const authentications = createClient(StrongAuthenticationServiceClient, `127.0.0.1:${server.port}`);
  return {
    heard,
    says,
    bank: bankConnector(payments),
    authentication: bankAuthentication(authentications),
    async close() {
      payments.close();
      authentications.close();
      await server.close();
    },
  };
}

let scripted: Awaited<ReturnType<typeof openScriptedBank>>;
beforeAll(async () => {
  scripted = await openScriptedBank();
});
afterAll(() => scripted.close());

const ACCOUNT = randomUUID();
/** The same payment to a giro number, as its payment type writes it. */
const giro = (additionalInformation: Record<string, string>, message?: string): PaymentOrder => {
  const { draft, posting } = transferOf(ACCOUNT);
  return {
    draft: { ...draft, paymentType: 'swedish-bank-giro' },
    posting: {
      ...posting,
      creditor: { name: 'Elbolaget' },
      additionalInformation,
      ...(message !== undefined && { message }),
    },
  };
};

describe('a request to the bank for a payment (§3.2)', () => {
  const told = async (order: PaymentOrder): Promise<SubmitPaymentRequest> => {
    scripted.says.submitted = {
      status: PaymentStatus.PAYMENT_STATUS_BOOKED,
      reason: RejectionReason.REJECTION_REASON_UNSPECIFIED,
    };
    expect(await scripted.bank.submit(order)).toBe('booked');
    return scripted.heard.submitted.at(-1)!;
  };

  it('has all fields of a transfer', async () => {
    const order = transferOf(ACCOUNT, '8250.00');
    const { paymentId, approvedAt } = paymentOf(order.draft);
    expect(await told(order)).toEqual({
      paymentId,
      approvedPaymentId: paymentId,
      accountId: ACCOUNT,
      amount: { value: '8250.00', currency: 'DKK' },
      creditor: { name: 'Receiver', account: { $case: 'bban', value: '00400440116243' } },
      paymentType: 'domestic-credit-transfer',
      name: 'Rent',
      message: '',
      ocr: '',
      approvedAt,
    });
  });

  it.each([
    [{ bgNumber: '5050-1055', ocr: '1234567897' }, undefined, 'bankgiro', '50501055', '1234567897', ''],
    [{ pgNumber: '12 34 56-6' }, 'Faktura 7', 'plusgiro', '1234566', '', 'Faktura 7'],
  ])(
    'is the digits of a giro number, and its reference: %j',
    async (identifiers, message, scheme, number, ocr, read) => {
      const request = await told(giro(identifiers, message));
      expect(request).toMatchObject({
        creditor: { name: 'Elbolaget', account: { $case: scheme, value: number } },
        ocr,
        message: read,
      });
    },
  );

  it('prefers the text of the payment type to a message', async () => {
    const { draft, posting } = giro({ bgNumber: '5050-1055' }, 'Faktura 7');
    const initiation = { redirectUrl: 'https://tpp.test/', message: 'Tak' };
    const request = await told({ posting, draft: { ...draft, kind: 'single', initiation } });
    expect(request.message).toBe('Faktura 7');
  });

  it('has the message of a payment that was initiated with one', async () => {
    const { draft, posting } = transferOf(ACCOUNT);
    const initiation = { redirectUrl: 'https://tpp.test/', message: 'Tak' };
    expect((await told({ posting, draft: { ...draft, kind: 'single', initiation } })).message).toBe('Tak');
  });

  it('names the standing order as the approved payment of its run', async () => {
    const { draft, posting } = transferOf(ACCOUNT);
    const run = await told({ posting, draft: { ...draft, kind: 'run' } });
    const { paymentId, requestId } = paymentOf(draft);
    expect([run.paymentId, run.approvedPaymentId]).toEqual([paymentId, requestId]);
  });
});

describe('answers of the bank (§3.2)', () => {
  const { REJECTION_REASON_UNSPECIFIED: NONE, ...REASONS } = RejectionReason;

  it.each([
    ['PAYMENT_STATUS_BOOKED', NONE, 'booked'],
    ['PAYMENT_STATUS_PENDING', NONE, 'pending'],
    ['PAYMENT_STATUS_REJECTED', REASONS.REJECTION_REASON_FUNDS_INSUFFICIENT, 'FUNDS_INSUFFICIENT'],
    ['PAYMENT_STATUS_REJECTED', REASONS.REJECTION_REASON_ACCOUNT_UNKNOWN, 'RESOURCE_UNKNOWN'],
    ['PAYMENT_STATUS_REJECTED', REASONS.REJECTION_REASON_NOT_APPROVED, 'STATUS_INVALID'],
    ['PAYMENT_STATUS_REJECTED', REASONS.REJECTION_REASON_OTHER, 'STATUS_INVALID'],
    ['PAYMENT_STATUS_REJECTED', NONE, 'STATUS_INVALID'],
    ['PAYMENT_STATUS_CANCELLED', NONE, 'cancelled'],
    ['PAYMENT_STATUS_UNSPECIFIED', NONE, 'UNAVAILABLE'],
  ] as const)('of a submission: %s, %s is %s', async (status, reason, meaning) => {
    scripted.says.submitted = { status, reason };
    expect(await codeOf(scripted.bank.submit(transferOf(ACCOUNT)))).toBe(meaning);
  });

  it.each([
    ['PAYMENT_STATUS_CANCELLED', 'cancelled'],
    ['PAYMENT_STATUS_BOOKED', 'booked'],
    ['PAYMENT_STATUS_PENDING', 'UNAVAILABLE'],
    ['PAYMENT_STATUS_REJECTED', 'UNAVAILABLE'],
    ['PAYMENT_STATUS_UNSPECIFIED', 'UNAVAILABLE'],
  ] as const)('of a cancellation: %s is %s', async (status, meaning) => {
    scripted.says.cancelled = { status };
    const order = transferOf(ACCOUNT);
    expect(await codeOf(scripted.bank.cancel(order))).toBe(meaning);
    const { paymentId } = paymentOf(order.draft);
    expect(scripted.heard.cancelled.at(-1)).toEqual({ paymentId, accountId: ACCOUNT });
  });
});

describe('a request to the bank for an authentication (§3.2)', () => {
  const digest = randomBytes(32);
  const order = {
    approvalId: 'the-approval',
    userId: randomUUID(),
    digest: digest.toString('base64url'),
    summary: {
      clientId: randomUUID(),
      payments: [
        {
          paymentId: randomUUID(),
          paymentType: 'swedish-bank-giro',
          sender: { accountId: ACCOUNT, bban: '50001234560', ownerName: 'Erik Lindqvist' },
          payee: { name: 'Elbolaget', numberType: 'BANKGIRO' as const, number: '5050-1055' },
          reference: '1234567897',
          amount: '12.50',
          currency: 'SEK',
          schedule: {
            startDate: '2026-12-01',
            endDate: '2027-12-01',
            frequency: 'Monthly' as const,
            dayOfExecution: 31,
            executionRule: 'preceding' as const,
          },
          warnings: [] as SummarizedPayment['warnings'],
        },
      ],
      sums: [{ amount: '12.50', currency: 'SEK' }],
    },
    clientName: 'Fjord Budget ApS',
    language: 'sv' as const,
    expiresAt: new Date('2026-12-01T12:15:00Z'),
  };

  it('has client, user and payments, bound to the digest', async () => {
    scripted.says.asked = { status: AuthenticationStatus.AUTHENTICATION_STATUS_APPROVED, approvalUrl: '' };
    expect(await scripted.authentication.authenticate(order)).toEqual({ status: 'approved' });
    const [payment] = order.summary.payments;
    expect(scripted.heard.asked.at(-1)).toEqual({
      authenticationId: 'the-approval',
      userId: order.userId,
      digest,
      clientName: 'Fjord Budget ApS',
      language: 'sv',
      expiresAt: order.expiresAt,
      payments: [
        {
          paymentId: payment!.paymentId,
          accountId: ACCOUNT,
          amount: { value: '12.50', currency: 'SEK' },
          creditor: { name: 'Elbolaget', account: { $case: 'bankgiro', value: '50501055' } },
          reference: '1234567897',
          executionDate: '',
          standingOrder: payment!.schedule,
        },
      ],
    });
  });

  it('has the day of a later payment, and no page after the decision', async () => {
    const status = AuthenticationStatus.AUTHENTICATION_STATUS_APPROVED;
    scripted.says.asked = { status, approvalUrl: 'https://app.bank.test/approve/1' };
    const [{ schedule: _none, ...payment }] = order.summary.payments as [SummarizedPayment];
    const payments = [{ ...payment, executionDate: '2026-12-24' }];
    const later = { ...order, summary: { ...order.summary, payments } };
    expect(await scripted.authentication.authenticate(later)).toEqual({ status: 'approved' });
    expect(scripted.heard.asked.at(-1)?.payments).toMatchObject([
      { executionDate: '2026-12-24', standingOrder: undefined },
    ]);
  });

  it('waits for a user', () => {
    expect(scripted.authentication.begin([])).toEqual({ status: 'AWAITING_APPROVAL' });
  });

  it.each([
    ['PENDING', 'pending'],
    ['APPROVED', 'approved'],
    ['DECLINED', 'declined'],
    ['EXPIRED', 'pending'],
    ['FAILED', 'failed'],
    ['UNSPECIFIED', 'UNAVAILABLE'],
  ] as const)('is answered: %s is %s', async (status, meaning) => {
    scripted.says.asked = {
      status: AuthenticationStatus[`AUTHENTICATION_STATUS_${status}`],
      approvalUrl: '',
    };
    const answer = scripted.authentication.authenticate(order).then((said) => said.status);
    expect(await codeOf(answer)).toBe(meaning);
  });

  it.each([
    ['https://app.bank.test/approve/1', 'https://app.bank.test/approve/1'],
    ['http://localhost:1/app/1', 'http://localhost:1/app/1'],
    [`https://app.bank.test/${'x'.repeat(1_978)}`, `https://app.bank.test/${'x'.repeat(1_978)}`],
    [`https://app.bank.test/${'x'.repeat(1_979)}`, undefined],
    ['', undefined],
    ['javascript:alert(1)', undefined],
    ['/app/1', undefined],
  ])('may be answered in a browser at %.40s', async (given, shown) => {
    scripted.says.asked = { status: AuthenticationStatus.AUTHENTICATION_STATUS_PENDING, approvalUrl: given };
    expect((await scripted.authentication.authenticate(order)).approvalUrl).toBe(shown);
  });
});
