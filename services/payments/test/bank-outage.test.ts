import { until } from '@kontoport/embedded/wait';
import { type Adapters, adapters } from '../src/adapters.ts';
import type { PaymentStore } from '../src/domain/ports/payment-store.ts';
import { retryDelayMs } from '../src/domain/settlement.model.ts';
import { approvalsOf, type Asked } from './approval-client.ts';
import { BANK_USER, startBankProcess } from './bank-process.ts';
import { readTransfers } from './read-transfers.ts';
import { REDIRECT, startPayments } from './running-payments.ts';
import { startBank } from './test-bank.ts';

const { userId } = BANK_USER;
const CALLBACK = `${REDIRECT}?state=a`;
const YES = { userId, decision: 'approve' };
const MINUTE_MS = 60_000;

/** Payments before the reference connector, with a TPP and all that it learns of its payments. */
async function openConnected(options: { env?: Record<string, string>; change?: Partial<Adapters> } = {}) {
  const ledger = await startBank();
  const bank = await startBankProcess(`127.0.0.1:${ledger.port}`);
  const { bank: connector, strongCustomerAuthentication } = adapters.production;
  const connected = { ...adapters.sandbox, bank: connector, strongCustomerAuthentication, ...options.change };
  const service = await startPayments({
    settlementDelay: '0ms',
    adapters: { sandbox: connected, production: connected },
    env: { BANK_GRPC: bank.address, ...options.env },
    bank: ledger,
  });
  const transfers = readTransfers(service.broker.brokers);
  const tpp = await service.caller();
  const users = approvalsOf(service);
  const account = ledger.addAccount({ clientId: tpp.clientId, userId });
  return {
    bank,
    users,
    available: () => ledger.available(account),
    /** Asks the user for the approval of a payment of 125.50. */
    ask: async () => users.ask(tpp, [await tpp.validDraft(account)], { userId, redirectUrl: CALLBACK }),
    /** What the events, then polling and the user's browser say; `draftStatus` is what the draft is in the end. */
    async outcome(asked: Asked, draftStatus: string, events: number) {
      const [draftId] = asked.draftIds as [string];
      // First of all: whoever reads writes down that a time is over.
      const told = await transfers.ofDraft(draftId, events);
      const { paymentId } = (await tpp.reaches(draftId, draftStatus)).body;
      const { status } = (await tpp.call('GET', `/polling/${paymentId as string}/status`)).body;
      const { standing } = await users.get(asked.approvalId);
      return {
        polled: status,
        redirect: standing!.returnUrl,
        told: told.map(({ value }) => [value.type, value.message.status]),
      };
    },
    async close() {
      await transfers.close();
      await service.close();
      await bank.close();
    },
  };
}
type Connected = Awaited<ReturnType<typeof openConnected>>;

describe('an approval that its user never gives, before the reference connector (§3.2, §4.4, §6)', () => {
  let opened: Connected;
  beforeAll(async () => {
    opened = await openConnected({ env: { APPROVAL_LIFETIME: '2s' } });
  });
  afterAll(() => opened.close());

  const EXPIRED = {
    polled: 'EXPIRED',
    redirect: `${CALLBACK}&error=expired`,
    told: [
      ['Transfer.CreatedV1', 'AWAITING_APPROVAL'],
      ['Transfer.StatusChangedV1', 'EXPIRED'],
    ],
  };

  it('is EXPIRED where nobody opened its page: by polling, by the way back and by an event', async () => {
    expect(await opened.outcome(await opened.ask(), 'EXPIRED', 2)).toEqual(EXPIRED);
  });

  it('is EXPIRED where the user has said yes, and the bank no more heard of it; a late answer there changes nothing', async () => {
    const { users, bank } = opened;
    // One that lapses before the yes is said, on a busy machine, is none that the bank was asked about.
    const asked = await until(
      async () => {
        const one = await opened.ask();
        return (await users.decide(one, YES)).status === 'AWAITING_APPROVAL' && one;
      },
      { what: 'a yes in time' },
    );
    expect(await opened.outcome(asked, 'EXPIRED', 2)).toEqual(EXPIRED);
    await bank.answer(asked.approvalId, 'APPROVED');
    expect(await opened.outcome(asked, 'EXPIRED', 2)).toEqual(EXPIRED);
    expect(opened.available()).toBe('1000.00');
  });
});

describe('a bank that is down for a minute, before the reference connector (§3.2, §4.4, §6)', () => {
  /** When each approval was asked about, that many times. */
  const questions = new Map<string, number>();
  /** Whether what is to be repeated later is due at once, as if time passed by. */
  let passes = false;
  let opened: Connected;
  beforeAll(async () => {
    const { strongCustomerAuthentication: connected } = adapters.production;
    opened = await openConnected({
      change: {
        strongCustomerAuthentication(options) {
          const authentication = connected!(options);
          return {
            ...authentication,
            authenticate(order) {
              questions.set(order.approvalId, (questions.get(order.approvalId) ?? 0) + 1);
              return authentication.authenticate(order);
            },
          };
        },
        paymentStore(options) {
          const kept = adapters.sandbox.paymentStore!(options);
          const claimBaskets: PaymentStore['claimBaskets'] = (claim) =>
            kept.store.claimBaskets(passes ? { ...claim, now: new Date(Date.now() + MINUTE_MS) } : claim);
          const store = new Proxy(kept.store, {
            get: (target, name: keyof PaymentStore) =>
              name === 'claimBaskets' ? claimBaskets : (target[name] as () => unknown).bind(target),
          });
          return { ...kept, store };
        },
      },
    });
  });
  afterAll(() => opened.close());
  beforeEach(() => {
    passes = false;
  });

  /** Questions that are asked in more than a minute, the last ten seconds apart. */
  const MANY = (() => {
    let attempts = 0;
    for (let ms = 0; ms <= MINUTE_MS; ms += retryDelayMs({ attempts, random: 0 })) attempts += 1;
    return attempts;
  })();

  /** An approval to which its user says yes while the bank is down, which lasts until it was asked so often. */
  async function sayYesMeanwhile(): Promise<Asked> {
    const asked = await opened.ask();
    await opened.bank.leave();
    expect(await opened.users.decide(asked, YES)).toMatchObject({
      status: 'AWAITING_APPROVAL',
      isAnswered: true,
    });
    passes = true;
    await until(() => questions.get(asked.approvalId)! > MANY, { what: 'the bank to be asked for a minute' });
    expect((await opened.users.get(asked.approvalId)).standing!.status).toBe('AWAITING_APPROVAL');
    await opened.bank.comeBack();
    return asked;
  }

  /** The user's answer in the bank's app, once the bank has asked for it there. */
  const answer = (asked: Asked, said: 'APPROVED' | 'DECLINED') =>
    until(
      async () =>
        (await opened.bank.answer(asked.approvalId, said)).includes(`This is ${said.toLowerCase()}`),
      { what: 'the answer in the app of the bank' },
    );

  it('asks its user when it is back: what is approved then is booked, and told by polling, way back and events', async () => {
    const before = Number(opened.available());
    const asked = await sayYesMeanwhile();
    await answer(asked, 'APPROVED');
    expect(await opened.outcome(asked, 'COMPLETED', 3)).toEqual({
      polled: 'APPROVED',
      redirect: CALLBACK,
      told: [
        ['Transfer.CreatedV1', 'AWAITING_APPROVAL'],
        ['Transfer.StatusChangedV1', 'PENDING'],
        ['Transfer.StatusChangedV1', 'COMPLETED'],
      ],
    });
    expect(before - Number(opened.available())).toBe(125.5);
  });
});
