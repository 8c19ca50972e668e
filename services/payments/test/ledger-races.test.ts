import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { call, createClient } from '@kontoport/grpc';
import { LedgerServiceClient, PutAccountRequest } from '@kontoport/proto/accounts/v1';
import { ask } from '@kontoport/testing/answer';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { type Draft, updateFields } from '../src/domain/draft.model.ts';
import { PAYMENT_TYPES } from '../src/domain/payment-types/payment-types.ts';
import { PostgresPaymentStore } from '../src/store/postgres/postgres-payment-store.ts';
import { type LedgerScene, openLedgerScene } from './ledger-scene.ts';
import { DAY } from './postgres-store.ts';
import { DRAFTS, TRANSFER } from './running-payments.ts';
import { approveDraftsIn, draftOf, SENDER } from './store-fixtures.ts';

const LIMIT_MS = 400_000;
const PAYERS = 10;
/** Payments of each payer in each round. */
const EACH = 20;
const OPENING = '1000.00';
const BBAN = '66950001234567';

let scene: LedgerScene;
beforeAll(async () => {
  scene = await openLedgerScene();
}, LIMIT_MS);
afterAll(() => scene.close());

/** A TPP with an account to pay from. */
interface Payer {
  tpp: TestTpp;
  organization: string;
  headers: Record<string, string>;
  accountId: string;
}

/** A payment of 1.00 that is to be cancelled while it settles. */
interface Racing {
  payer: Payer;
  draftId: string;
  paymentId: string;
  /** The answer to its DELETE, once it has arrived. */
  answer?: number;
}

async function openPayers(): Promise<Payer[]> {
  const ledger = createClient(LedgerServiceClient, scene.ledgerAddress);
  const payers = await Promise.all(
    Array.from({ length: PAYERS }, async (_none, at) => {
      const organization = `PSDDK-DFSA-${4_700 + at}`;
      const tpp = await scene.peers.addTpp({ organizationIdentifier: organization });
      const account = PutAccountRequest.fromPartial({
        accountId: randomUUID(),
        userId: randomUUID(),
        name: 'Drift',
        type: 'CHECKING',
        currency: 'DKK',
        bban: BBAN,
        openingBalance: { value: OPENING, currency: 'DKK' },
      });
      const { accountId } = account;
      await call(ledger, ledger.putAccount, account, { deadlineMs: 30_000 });
      const headers = await tpp.headers();
      const unknown = `${scene.origin}${DRAFTS}/${randomUUID()}`;
      // The directory learns of a new TPP a moment after it was added.
      await until(async () => (await ask('GET', unknown, { headers })).status === 404, {
        what: 'the TPP to be known',
      });
      return { tpp, organization, headers, accountId };
    }),
  );
  ledger.close();
  return payers;
}

/** Approved payments of each payer, all of which are due. */
async function approve(store: PostgresPaymentStore, payers: readonly Payer[]): Promise<Racing[]> {
  const rules = PAYMENT_TYPES['domestic-credit-transfer'];
  const now = new Date();
  const baskets = await Promise.all(
    payers.map(async (payer) => {
      const { accountId: senderAccountId, organization, tpp } = payer;
      const senderAccount = { ...SENDER, accountId: senderAccountId, bban: BBAN };
      const fields = { ...TRANSFER, amount: '1.00', senderAccountId };
      const drafts = Array.from({ length: EACH }, () =>
        updateFields(draftOf(tpp.clientId, now, organization), { rules, fields, senderAccount, now }),
      );
      for (const draft of drafts) await store.createDraft(draft);
      const { draftIds, paymentIds } = await approveDraftsIn(store, { drafts, senderAccount, now });
      return draftIds.map((draftId, i) => ({ payer, draftId, paymentId: paymentIds[i]! }));
    }),
  );
  return baskets.flat();
}

/** Cancels the payments of each payer, from both ends, each until it is answered whether it is cancelled or booked. */
async function cancelAll(racing: readonly Racing[]): Promise<void> {
  const lane = async (payments: readonly Racing[]): Promise<void> => {
    for (const payment of payments)
      payment.answer = await until(
        async () => {
          const { payer, draftId } = payment;
          const url = `${scene.origin}${DRAFTS}/${draftId}/payment`;
          const { status } = await ask('DELETE', url, { headers: payer.headers });
          return status !== 503 && status;
        },
        { what: 'a cancellation to be answered', timeout: LIMIT_MS },
      );
  };
  const lanes = [...Map.groupBy(racing, ({ payer }) => payer).values()].flatMap((own) => {
    const half = own.length / 2;
    return [own.slice(0, half), own.slice(half).toReversed()];
  });
  await Promise.all(lanes.map(lane));
}

/** The ledger's status of the payments, by paymentId: `financial` for a booked one, `VOIDED` for one that can never be booked. */
async function ledgerOf(racing: readonly Racing[]): Promise<Map<string, string>> {
  const { rows } = await scene.pools.accounts.query<{ id: string; stands: string }>(
    'SELECT id, coalesce(refusal, status) AS stands FROM transaction WHERE id = ANY ($1::uuid[])',
    [racing.map(({ paymentId }) => paymentId)],
  );
  return new Map(rows.map(({ id, stands }) => [id, stands]));
}

/** The final status of the payments in the payments service, by paymentId. */
async function told(): Promise<Map<string, string[]>> {
  const { rows } = await scene.pools.payments.query<{ id: string; told: string[] }>(
    `SELECT value::json ->> 'paymentId' AS id, array_agg(value::json ->> 'status' ORDER BY outbox.id) AS told
     FROM outbox WHERE topic <> 'kontoport.audit.v1' GROUP BY 1`,
  );
  return new Map(rows.map(({ id, told: statuses }) => [id, statuses]));
}

async function balanceOf(accountId: string) {
  const { rows } = await scene.pools.accounts.query<{ balance: string; reserved: string; moved: string }>(
    `SELECT balance, reserved, (SELECT coalesce(sum(billing_amount), 0) FROM transaction
       WHERE account_id = account.id AND refusal IS NULL) AS moved
     FROM account WHERE id = $1`,
    [accountId],
  );
  return rows[0]!;
}

describe('a payment is cancelled or booked, before account-information itself (§3.2)', () => {
  it(
    'never both and never neither, of 1,000 that are cancelled while they settle, whatever is killed meanwhile',
    async () => {
      const store = new PostgresPaymentStore({
        db: scene.db,
        relay: { wake() {} },
        limits: { ofClient: 1_000, ofOrganization: 1_000 },
        retention: { openMs: DAY, paymentMs: DAY },
      });
      const payers = await openPayers();
      const all: Racing[] = [];
      for (const disturb of [
        async () => {},
        () => scene.payments.crash(),
        () => scene.accountInformation.crash(),
        () => scene.restartPostgres(),
        () => Promise.all([scene.payments.crash(), scene.accountInformation.crash()]),
      ]) {
        const racing = await approve(store, payers);
        all.push(...racing);
        const disturbed = async (): Promise<void> => {
          const share = racing.length / 5;
          await until(async () => (await ledgerOf(racing)).size >= share, { what: `${share} decisions` });
          await disturb();
        };
        await Promise.all([cancelAll(racing), disturbed()]);
      }
      expect(all).toHaveLength(1_000);

      const [ledger, events] = [await ledgerOf(all), await told()];
      for (const { payer, draftId, paymentId, answer } of all) {
        const { clientId } = payer.tpp;
        const draft = (await store.findDraft({ clientId, draftId, now: new Date() })) as Draft;
        const booked = ledger.get(paymentId) === 'financial';
        expect([ledger.get(paymentId), draft.status, events.get(paymentId)]).toEqual(
          booked
            ? ['financial', 'COMPLETED', ['PENDING', 'COMPLETED']]
            : ['VOIDED', 'CREATED', ['PENDING', 'CANCELLED']],
        );
        // If the answer to a cancellation was lost, the next one finds no payment any more.
        expect(booked ? [409] : [204, 404]).toContain(answer);
        expect(draft.payment?.paymentId).toBe(booked ? paymentId : undefined);
      }
      for (const payer of payers) {
        const own = all.filter((payment) => payment.payer === payer);
        const booked = own.filter(({ paymentId }) => ledger.get(paymentId) === 'financial').length;
        expect(await balanceOf(payer.accountId)).toEqual({
          balance: String(100_000 - 100 * booked),
          reserved: '0',
          moved: String(-100 * booked),
        });
      }
    },
    LIMIT_MS,
  );
});
