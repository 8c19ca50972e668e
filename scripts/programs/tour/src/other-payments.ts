import { randomUUID } from 'node:crypto';
import {
  expectStatus,
  expectThat,
  type Json,
  jsonOf,
  listOf,
  numberOf,
  objectOf,
  textOf,
} from './expectations.ts';
import type { ChosenAccount } from './read-accounts.ts';
import { PAYMENT, RECEIVER_BBAN, REDIRECT_URI, type Session, type Tour } from './script.ts';
import type { Answer, Call } from './tpp-client.ts';

const INVOICE = {
  receiverGiroNumber: '5050-1055',
  receiverName: 'Mälarvatten',
  amount: '412.00',
  currency: 'SEK',
  reference: '1234567806',
  referenceType: 'OCR',
};

/** A bankgiro invoice: booked when the approval is answered, with its OCR on the account (§3.2, §2.4). */
export async function payByGiro(tour: Tour, session: Session): Promise<void> {
  tour.narrator.step('Pay a Swedish invoice by bankgiro');
  const { id: senderAccountId } = await swedishAccount(tour, session);
  const draft = await stage(tour, session, {
    type: 'swedish-bank-giro',
    name: 'Water',
    fields: { ...INVOICE, senderAccountId },
  });
  const { call, answer, json } = await read(tour, session, draft);
  const status = textOf(json, 'status');
  // The approval answers after 2 s, whether the bank has or not.
  expectThat(status === 'COMPLETED' || status === 'PENDING', 'a draft COMPLETED, or soon so', status);
  tour.narrator.exchange(call, answer, { status, paymentId: textOf(json, 'paymentId') });
  if (status !== 'COMPLETED') return;
  const transaction = await ask(tour, session, {
    method: 'GET',
    url: `${tour.sandbox.baseUrl}/accounts/${senderAccountId}/transactions/${textOf(json, 'paymentId')}`,
  });
  const keys = objectOf(jsonOf(transaction.answer), 'additionalInformation');
  expectThat(keys.ocr === INVOICE.reference, `ocr ${INVOICE.reference}`, keys);
  tour.narrator.exchange(transaction.call, transaction.answer, {
    additionalInformation: JSON.stringify(keys),
  });
}

/** A payment that is taken back; whether that comes in time, the bank decides (§3.2). */
export async function cancelPayment(tour: Tour, session: Session, account: ChosenAccount): Promise<void> {
  tour.narrator.step('Take a payment back before it is booked');
  const draft = await stage(tour, session, {
    type: 'domestic-credit-transfer',
    name: 'Sent by mistake',
    fields: {
      receiverAccountBban: RECEIVER_BBAN,
      receiverName: PAYMENT.receiverName,
      amount: '1.00',
      currency: PAYMENT.currency,
      senderAccountId: account.id,
    },
  });
  const cancel: Call = { method: 'DELETE', url: `${draft}/payment`, authorization: session.authorization };
  const answer = await tour.tpp.call(cancel);
  expectStatus(answer, 204, 409);
  tour.narrator.exchange(cancel, answer);
  const after = await read(tour, session, draft);
  const expected = answer.status === 204 ? 'CREATED' : 'COMPLETED';
  const status = textOf(after.json, 'status');
  expectThat(status === expected, `a draft ${expected}`, status);
  tour.narrator.exchange(after.call, after.answer, { status });
}

/** The first Swedish account that can pay the invoice. */
async function swedishAccount(tour: Tour, session: Session): Promise<ChosenAccount> {
  const { answer } = await ask(tour, session, { method: 'GET', url: `${tour.sandbox.baseUrl}/accounts` });
  const account = listOf(jsonOf(answer), 'accounts').find(
    ({ currency, supportsPayments, ...rest }) =>
      currency === INVOICE.currency &&
      supportsPayments === true &&
      numberOf(rest, 'balanceAvailableAmount') >= Number(INVOICE.amount),
  );
  expectThat(
    account !== undefined,
    `a ${INVOICE.currency} account that supports payments and has funds`,
    'none',
  );
  return { id: textOf(account, 'id'), bban: textOf(account, 'bban') };
}

/** Creates a draft, fills it in and has it approved; hands back where it is. */
async function stage(
  tour: Tour,
  session: Session,
  payment: { type: string; name: string; fields: Json },
): Promise<string> {
  const drafts = `${tour.sandbox.baseUrl}/payments/drafts`;
  const draftId = randomUUID();
  await ask(tour, session, {
    method: 'POST',
    url: `${drafts}/${payment.type}`,
    json: { draftId, name: payment.name },
  });
  const draft = `${drafts}/${payment.type}/${draftId}`;
  const filled = await ask(tour, session, { method: 'PATCH', url: draft, json: payment.fields });
  const { isValid } = jsonOf(filled.answer);
  expectThat(isValid === true, 'a valid draft', filled.answer.text);
  tour.narrator.exchange(filled.call, filled.answer, { isValid });
  const approved = await ask(tour, session, {
    method: 'POST',
    url: `${drafts}/approve`,
    json: { requestId: randomUUID(), draftIds: [draftId], redirectUrl: REDIRECT_URI },
  });
  tour.narrator.exchange(approved.call, approved.answer, {
    status: textOf(jsonOf(approved.answer), 'status'),
  });
  return draft;
}

async function read(
  tour: Tour,
  session: Session,
  url: string,
): Promise<{ call: Call; answer: Answer; json: Json }> {
  const asked = await ask(tour, session, { method: 'GET', url });
  return { ...asked, json: jsonOf(asked.answer) };
}

async function ask(
  { tpp }: Tour,
  { authorization }: Session,
  asked: Omit<Call, 'authorization'>,
): Promise<{ call: Call; answer: Answer }> {
  const call: Call = { ...asked, authorization };
  const answer = await tpp.call(call);
  expectStatus(answer, 200, 201);
  return { call, answer };
}
