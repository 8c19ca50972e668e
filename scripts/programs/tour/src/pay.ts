import { randomUUID } from 'node:crypto';
import { expectStatus, expectThat, jsonOf, listOf, textOf } from './expectations.ts';
import type { ChosenAccount } from './read-accounts.ts';
import { eventually, PAYMENT, RECEIVER_BBAN, REDIRECT_URI, type Session, type Tour } from './script.ts';
import { type Call, createTppClient } from './tpp-client.ts';

const COMPLETED_LIMIT_MS = 60_000;

/** Draft → fields → approval of the basket → COMPLETED (§4.4). */
export async function payByDraft(
  tour: Tour,
  { session, account, ca }: { session: Session; account: ChosenAccount; ca: string },
): Promise<void> {
  const draftId = await createDraft(tour, session);
  await fillDraft(tour, { session, account, draftId });
  const { requestId, authUrl } = await approve(tour, { session, draftId });
  await visitApprovalPage(tour, { authUrl, ca });
  await awaitCompletion(tour, { session, requestId, draftId });
}

async function createDraft({ sandbox, tpp, narrator }: Tour, { authorization }: Session): Promise<string> {
  narrator.step('Stage a payment as a draft');
  const draftId = randomUUID();
  const call: Call = {
    method: 'POST',
    url: `${sandbox.baseUrl}/payments/drafts/domestic-credit-transfer`,
    json: { draftId, name: `Invoice ${draftId.slice(0, 8)}` },
    authorization,
  };
  const answer = await tpp.call(call);
  expectStatus(answer, 201);
  const draft = jsonOf(answer);
  const status = textOf(draft, 'status');
  expectThat(status === 'CREATED', 'a draft in state CREATED', status);
  narrator.exchange(call, answer, { draftId, status, isValid: draft.isValid === true });
  return draftId;
}

async function fillDraft(
  { sandbox, tpp, narrator }: Tour,
  { session, account, draftId }: { session: Session; account: ChosenAccount; draftId: string },
): Promise<void> {
  narrator.step('Fill the draft');
  const call: Call = {
    method: 'PATCH',
    url: `${sandbox.baseUrl}/payments/drafts/domestic-credit-transfer/${draftId}`,
    json: {
      receiverAccountBban: RECEIVER_BBAN,
      receiverName: PAYMENT.receiverName,
      amount: PAYMENT.amount,
      currency: PAYMENT.currency,
      senderAccountId: account.id,
    },
    authorization: session.authorization,
  };
  const answer = await tpp.call(call);
  expectStatus(answer, 200);
  const draft = jsonOf(answer);
  expectThat(draft.isValid === true, 'a valid draft', draft);
  narrator.exchange(call, answer, { status: textOf(draft, 'status'), isValid: true });
}

async function approve(
  { sandbox, tpp, narrator }: Tour,
  { session, draftId }: { session: Session; draftId: string },
): Promise<{ requestId: string; authUrl: string }> {
  narrator.step('Ask for approval');
  const requestId = randomUUID();
  const call: Call = {
    method: 'POST',
    url: `${sandbox.baseUrl}/payments/drafts/approve`,
    json: { requestId, draftIds: [draftId], redirectUrl: REDIRECT_URI },
    authorization: session.authorization,
  };
  const answer = await tpp.call(call);
  expectStatus(answer, 200, 201, 202);
  const basket = jsonOf(answer);
  const authUrl = textOf(basket, 'authUrl');
  narrator.exchange(call, answer, { status: textOf(basket, 'status'), authUrl });
  return { requestId, authUrl };
}

/** What the user's browser does, which has no client certificate: the page leads back to the provider. */
async function visitApprovalPage(
  { narrator }: Tour,
  { authUrl, ca }: { authUrl: string; ca: string },
): Promise<void> {
  narrator.step("Follow the user's browser through the approval page");
  const browser = createTppClient({ ca });
  try {
    const call: Call = { method: 'GET', url: authUrl };
    const answer = await browser.call(call);
    expectStatus(answer, 302, 303);
    const location = answer.headers.location ?? '';
    expectThat(location.startsWith(REDIRECT_URI), `a redirect to ${REDIRECT_URI}`, location || 'no Location');
    narrator.exchange(call, answer, { location });
  } finally {
    browser.close();
  }
}

async function awaitCompletion(
  { sandbox, tpp, narrator }: Tour,
  { session, requestId, draftId }: { session: Session; requestId: string; draftId: string },
): Promise<void> {
  narrator.step('Wait until the payment is settled');
  const call: Call = {
    method: 'GET',
    url: `${sandbox.baseUrl}/payments/drafts/approve/${requestId}/status`,
    authorization: session.authorization,
  };
  let told = '';
  await eventually(
    async () => {
      const answer = await tpp.call(call);
      expectStatus(answer, 200);
      const basket = jsonOf(answer);
      const draft = listOf(basket, 'drafts').find((each) => each.draftId === draftId);
      expectThat(draft !== undefined, `draft ${draftId} in the basket`, basket);
      const status = textOf(draft, 'status');
      expectThat(status === 'PENDING' || status === 'COMPLETED', 'a draft PENDING or COMPLETED', status);
      if (status !== told)
        narrator.exchange(call, answer, {
          status: textOf(basket, 'status'),
          'drafts[0].status': status,
          'drafts[0].paymentId': textOf(draft, 'paymentId'),
        });
      told = status;
      return status === 'COMPLETED' ? status : undefined;
    },
    { what: 'the draft COMPLETED', limit: COMPLETED_LIMIT_MS, every: 250 },
  );
}
