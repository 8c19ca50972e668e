import { randomUUID } from 'node:crypto';
import { expectThat, type Json, listOf, objectOf, textOf } from './expectations.ts';
import { payableIn } from './read-accounts.ts';
import {
  api,
  type Asked,
  eventually,
  followBrowser,
  PAYMENT,
  RECEIVER_BBAN,
  REDIRECT_URI,
  type Visit,
} from './script.ts';

const INVOICE = {
  receiverGiroNumber: '5050-1055',
  receiverName: 'Mälarvatten',
  amount: '412.00',
  currency: 'SEK',
  reference: '1234567806',
  referenceType: 'OCR',
};

/** A draft in a basket with a requested approval. */
interface Staged {
  draftId: string;
  /** The path of the draft. */
  path: string;
  /** The id of the basket. */
  requestId: string;
  authUrl: string;
}

/** Creates a draft, fills it, and asks for the approval of its basket (§4.4). */
async function stage(
  tour: Visit,
  { type, name, fields }: { type: string; name: string; fields: Json },
): Promise<Staged> {
  const { narrator } = tour;
  const [draftId, requestId] = [randomUUID(), randomUUID()];
  const drafts = `/payments/drafts/${type}`;
  const created = await api(tour, { method: 'POST', path: drafts, json: { draftId, name } });
  const status = textOf(created.json, 'status');
  expectThat(status === 'CREATED', 'a draft in state CREATED', status);
  narrator.exchange(created, { draftId, status, isValid: created.json.isValid === true });
  const path = `${drafts}/${draftId}`;
  const filled = await api(tour, { method: 'PATCH', path, json: fields });
  expectThat(filled.json.isValid === true, 'a valid draft', filled.json);
  narrator.exchange(filled, { status: textOf(filled.json, 'status'), isValid: true });
  const approval = await api(tour, {
    method: 'POST',
    path: '/payments/drafts/approve',
    json: { requestId, draftIds: [draftId], redirectUrl: REDIRECT_URI },
    statuses: [200, 201, 202],
  });
  const authUrl = textOf(approval.json, 'authUrl');
  narrator.exchange(approval, { status: textOf(approval.json, 'status'), authUrl });
  return { draftId, path, requestId, authUrl };
}

const transfer = (tour: Visit, amount: string): Json => ({
  receiverAccountBban: RECEIVER_BBAN,
  receiverName: PAYMENT.receiverName,
  amount,
  currency: PAYMENT.currency,
  senderAccountId: tour.account.id,
});

/** Pays by a draft: fields, approval of the basket, COMPLETED (§4.4). */
export async function payByDraft(tour: Visit): Promise<void> {
  const { narrator } = tour;
  await narrator.chapter('Pay by a draft: fill it, have it approved, wait until it is settled');
  const name = `Invoice ${randomUUID().slice(0, 8)}`;
  const fields = transfer(tour, PAYMENT.amount);
  const { draftId, requestId, authUrl } = await stage(tour, {
    type: 'domestic-credit-transfer',
    name,
    fields,
  });
  narrator.step("Follow the user's browser through the approval page");
  const page = await followBrowser(tour, authUrl);
  narrator.exchange(page, { location: page.location });
  narrator.step('Wait until the payment is settled');
  const settled = await eventually('the draft COMPLETED', async () => {
    const asked = await api(tour, { path: `/payments/drafts/approve/${requestId}/status` });
    const draft = listOf(asked.json, 'drafts').find((each) => each.draftId === draftId);
    expectThat(draft !== undefined, `draft ${draftId} in the basket`, asked.json);
    return isSettled(draft) ? { asked, draft } : undefined;
  });
  narrator.exchange(settled.asked, {
    'drafts[0].status': textOf(settled.draft, 'status'),
    'drafts[0].paymentId': textOf(settled.draft, 'paymentId'),
  });
}

function isSettled(draft: Json): boolean {
  const status = textOf(draft, 'status');
  expectThat(status === 'PENDING' || status === 'COMPLETED', 'a draft PENDING or COMPLETED', status);
  return status === 'COMPLETED';
}

/** Pays a bankgiro invoice; its OCR is on the transaction (§3.2, §2.4). */
export async function payByGiro(tour: Visit): Promise<void> {
  const { narrator } = tour;
  await narrator.chapter('Pay a Swedish invoice by bankgiro');
  const accounts = await api(tour, { path: '/accounts' });
  const { id: senderAccountId } = payableIn(accounts, { ...INVOICE, amount: Number(INVOICE.amount) });
  const fields = { ...INVOICE, senderAccountId };
  const { path } = await stage(tour, { type: 'swedish-bank-giro', name: 'Water', fields });
  const draft = await eventually('the draft COMPLETED', async () => {
    const asked = await api(tour, { path });
    return isSettled(asked.json) ? asked : undefined;
  });
  const paymentId = textOf(draft.json, 'paymentId');
  narrator.exchange(draft, { status: 'COMPLETED', paymentId });
  const transaction = await api(tour, { path: `/accounts/${senderAccountId}/transactions/${paymentId}` });
  const keys = objectOf(transaction.json, 'additionalInformation');
  expectThat(keys.ocr === INVOICE.reference, `ocr ${INVOICE.reference}`, keys);
  narrator.exchange(transaction, { additionalInformation: JSON.stringify(keys) });
}

/** Cancels an approved payment; the bank decides whether that is in time (§3.2). */
export async function cancelPayment(tour: Visit): Promise<void> {
  await tour.narrator.chapter('Cancel a payment before it is booked');
  const fields = transfer(tour, '1.00');
  const { path } = await stage(tour, { type: 'domestic-credit-transfer', name: 'Sent by mistake', fields });
  const cancelled: Asked = await api(tour, {
    method: 'DELETE',
    path: `${path}/payment`,
    statuses: [204, 409],
  });
  tour.narrator.exchange(cancelled);
  const after = await api(tour, { path });
  const expected = cancelled.answer.status === 204 ? 'CREATED' : 'COMPLETED';
  const status = textOf(after.json, 'status');
  expectThat(status === expected, `a draft ${expected}`, status);
  tour.narrator.exchange(after, { status });
}
