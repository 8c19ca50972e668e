// How much memory live drafts take in the sandbox's store, and what one more costs among them: prints JSON. Needs --expose-gc.
import { randomUUID } from 'node:crypto';
import { type Draft, newDraft, updateFields } from '../../../services/payments/src/drafts/draft.model.ts';
import { PAYMENT_TYPES } from '../../../services/payments/src/payment-types/payment-types.ts';
import { MemoryPaymentStore } from '../../../services/payments/src/store/memory/memory-payment-store.ts';

const rules = PAYMENT_TYPES['domestic-credit-transfer'];
const CLIENTS = 100;
const TIMED = 5_000;
const senderAccount = {
  accountId: randomUUID(),
  userId: randomUUID(),
  bban: '00400440116251',
  ownerName: 'Anna Andersen',
  currency: 'DKK',
  supportsPayments: true,
  supportsTransfers: true,
};
const clientIds = Array.from({ length: CLIENTS }, () => randomUUID());
const store = new MemoryPaymentStore({
  lifetimeMs: 86_400_000,
  entriesPerClient: 1_000_000,
  entriesInAll: 10_000_000,
  organizationShare: 0.9,
  eventsInAll: 1_000,
});

/** A draft with all its fields, as two requests leave it. */
async function keep(at: number): Promise<void> {
  const clientId = clientIds[at % CLIENTS]!;
  const now = new Date();
  const draft: Draft = newDraft(
    {
      clientId,
      organizationIdentifier: `PSDDK-DFSA-${at % CLIENTS}`,
      draftId: randomUUID(),
      paymentType: 'domestic-credit-transfer',
      name: `Invoice ${at}`,
    },
    { rules, now },
  );
  await store.createDraft(draft);
  const fields = {
    senderAccountId: `${senderAccount.accountId}`,
    receiverAccountBban: '00400440116243',
    receiverName: `Receiver ${at}`,
    amount: `${at}.50`,
    currency: 'DKK',
  };
  const { draftId } = draft;
  await store.updateDraft({
    clientId,
    draftId,
    now,
    // Each has an account of its own, as a gRPC answer is.
    change: (found) => updateFields(found, { rules, fields, senderAccount: { ...senderAccount }, now }),
  });
  await store.findDraft({ clientId, draftId, now });
}

function usedMb(): number {
  globalThis.gc!();
  return process.memoryUsage().heapUsed / 1_048_576;
}

/** Microseconds to create, patch and read a draft, with so many live ones before it. */
async function timed(from: number): Promise<number> {
  const started = performance.now();
  for (let at = from; at < from + TIMED; at++) await keep(at);
  return ((performance.now() - started) * 1_000) / TIMED;
}

const live = Number(process.argv[2]);
for (let at = 0; at < TIMED; at++) await keep(at);
const few = await timed(TIMED);
const [before, kept] = [usedMb(), 2 * TIMED];
for (let at = kept; at < kept + live; at++) await keep(at);
const mb = usedMb() - before;
const many = await timed(kept + live);
console.log(JSON.stringify({ mb, few, many }));
