import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { testDatabase } from '@kontoport/testing/postgres';
import fc from 'fast-check';
import { adapters } from '../src/adapters.ts';
import { type DraftStatus, TRANSITIONS } from '../src/domain/draft-status.model.ts';
import { type Caller, DRAFTS, REDIRECT, type RunningPayments, startPayments } from './running-payments.ts';

const DRAFT_COUNT = 3;

/** The next steps of a TPP, and failures of the ledger. */
type Step =
  | { do: 'approve'; drafts: number[]; basket: number; twins: number }
  | { do: 'cancel'; draft: number }
  | { do: 'patch'; draft: number; amount: string }
  | { do: 'lose answers'; count: number }
  | { do: 'wait'; draft: number };

const draft = fc.nat(DRAFT_COUNT - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('approve' as const),
    drafts: fc.uniqueArray(draft, { minLength: 1, maxLength: DRAFT_COUNT }),
    basket: fc.nat(3),
    twins: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ do: fc.constant('cancel' as const), draft }),
  fc.record({ do: fc.constant('patch' as const), draft, amount: fc.constantFrom('100', '400', '0', '0.01') }),
  fc.record({ do: fc.constant('lose answers' as const), count: fc.nat(2) }),
  fc.record({ do: fc.constant('wait' as const), draft }),
);
/** Steps of one inner array happen at the same time. */
const sequence = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 });

/** The statuses that the table leads to, the present one included. */
function reachable(from: DraftStatus): Set<DraftStatus> {
  const found = new Set([from]);
  for (const status of found) for (const next of Object.values(TRANSITIONS[status])) found.add(next);
  return found;
}

/** The service over a store; the rest of it is the sandbox's. */
const STORES = {
  async memory() {
    return { options: {}, drop: async () => {} };
  },
  async postgres() {
    const { url, drop } = await testDatabase('payments');
    const { paymentStore } = adapters.production;
    const options = {
      adapters: { ...adapters, sandbox: { ...adapters.sandbox, paymentStore } },
      env: { DATABASE_URL: url },
    };
    return { options, drop };
  },
};

describe.each([
  ['memory', 16],
  ['postgres', 8],
] as const)('no money moves twice in %s: what is done to a draft is serialised (§3.2)', (name, numRuns) => {
  let service: RunningPayments;
  let tpp: Caller;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const store = await STORES[name]();
    ({ drop } = store);
    service = await startPayments({ settlementDelay: '20ms', ...store.options });
    tpp = await service.caller();
  });
  afterAll(async () => {
    await service.close();
    await drop();
  });

  it('holds for any sequence of operations, some at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async (rounds) => {
        const account = service.bank.addAccount({ clientId: tpp.clientId, available: '1000' });
        const draftIds = await Promise.all(
          Array.from({ length: DRAFT_COUNT }, () => tpp.validDraft(account, '400')),
        );
        const requestIds = Array.from({ length: 4 }, () => randomUUID());
        const read = () => Promise.all(draftIds.map((id) => tpp.call('GET', `${DRAFTS}/${id}`)));
        const statuses = async () => (await read()).map(({ body }) => body.status as DraftStatus);

        /** Runs a step; returns the statuses of its answers. */
        const take = async (next: Step): Promise<number[]> => {
          switch (next.do) {
            case 'approve': {
              const body = {
                requestId: requestIds[next.basket],
                draftIds: next.drafts.map((i) => draftIds[i]),
                redirectUrl: REDIRECT,
              };
              const answers = await Promise.all(
                Array.from({ length: next.twins }, () => tpp.call('POST', '/payments/drafts/approve', body)),
              );
              return answers.map(({ status }) => status);
            }
            case 'cancel': {
              const { status } = await tpp.call('DELETE', `${DRAFTS}/${draftIds[next.draft]}/payment`);
              return [status];
            }
            case 'patch': {
              const { amount } = next;
              const { status } = await tpp.call('PATCH', `${DRAFTS}/${draftIds[next.draft]}`, { amount });
              return [status];
            }
            case 'lose answers':
              service.bank.loseAnswers(next.count);
              return [];
            case 'wait':
              await until(async () => (await tpp.status(draftIds[next.draft]!)) !== 'PENDING', {
                what: 'the settlement',
              });
              return [];
          }
        };

        let before = await statuses();
        for (const round of rounds) {
          const answers = (await Promise.all(round.map(take))).flat();
          expect(answers.filter((status) => ![200, 204, 400, 404, 409, 503].includes(status))).toEqual([]);
          const after = await statuses();
          for (const [i, status] of after.entries()) expect(reachable(before[i]!)).toContain(status);
          before = after;
        }

        await until(async () => !(await statuses()).includes('PENDING'), { what: 'all settlements' });
        const settled = (await read()).filter(({ body }) => body.status === 'COMPLETED');
        const booked = [...service.bank.booked.values()].filter((post) => post.accountId === account);
        expect(booked.map((post) => post.transactionId).toSorted()).toEqual(
          settled.map(({ body }) => String(body.paymentId)).toSorted(),
        );
        const spent = settled.reduce((sum, { body }) => sum + Math.round(Number(body.amount) * 100), 0);
        expect(service.bank.available(account)).toBe(((100_000 - spent) / 100).toFixed(2));
      }),
      { numRuns },
    );
  }, 120_000);
});
