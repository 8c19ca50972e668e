import { randomUUID } from 'node:crypto';
import type { Check } from '../check.ts';
import {
  expectRefusal,
  expectSameRefusal,
  expectStatus,
  expectThat,
  type Json,
  listOf,
  textOf,
} from '../expectations.ts';
import { eventually, type Request, type Tpp } from '../tpp.ts';

const TRANSFERS = '/payments/domestic-credit-transfer';
const ORDERS = '/payments/standing-orders';
const DRAFTS = '/payments/drafts/domestic-credit-transfer';
const DAY_MS = 86_400_000;

/** Payments move money, so they are for sandboxes. */
const inSandbox = { role: 'PSP_PI', isForSandbox: true } as const;
const post = (json: unknown, requestId?: string): Request => ({
  method: 'POST',
  json,
  ...(requestId !== undefined && { headers: { 'x-request-id': requestId } }),
});
const DELETE: Request = { method: 'DELETE' };
const daysAhead = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

const fieldsOf = async (tpp: Tpp): Promise<Json> => ({
  receiverAccountBban: '54790001234567',
  receiverName: 'Havnens Cykler ApS',
  amount: '1.00',
  currency: 'DKK',
  senderAccountId: (await tpp.account()).id,
});
const paymentOf = async (tpp: Tpp): Promise<Json> => ({
  ...(await fieldsOf(tpp)),
  redirectUrl: await tpp.redirectUri(),
});
/** A payment that is not booked during this run, so that it can be deleted. */
const laterPaymentOf = async (tpp: Tpp): Promise<Json> => ({
  ...(await paymentOf(tpp)),
  executionDate: daysAhead(30),
});

async function makeDraft(tpp: Tpp, fields: Json): Promise<string> {
  const draftId = randomUUID();
  await tpp.ask(DRAFTS, { ...post({ draftId, name: 'Conformance' }), status: 201 });
  await tpp.ask(`${DRAFTS}/${draftId}`, { method: 'PATCH', json: fields, status: 200 });
  return draftId;
}

const awaitStatus = (tpp: Tpp, path: string, wanted: string): Promise<Json> =>
  eventually(`the status ${wanted}`, async () => {
    const json = await tpp.ask(path, { status: 200 });
    return json.status === wanted ? json : undefined;
  });

/** Payments, drafts, baskets and standing orders. */
export const paymentChecks: readonly Check[] = [
  {
    clause: '4.5',
    id: 'payment',
    must: 'A payment is initiated, polled as APPROVED, listed first, and completed.',
    ...inSandbox,
    async run(tpp) {
      const paymentId = textOf(
        await tpp.ask(TRANSFERS, { ...post(await paymentOf(tpp)), status: 201 }),
        'paymentId',
      );
      const polled = await tpp.ask(`/polling/${paymentId}/status`, { status: 200 });
      expectThat(polled.status === 'APPROVED', 'the status APPROVED', 'another');
      expectThat(
        polled.redirectUrl === (await tpp.redirectUri()),
        'the redirectUrl of the initiation',
        'another',
      );
      const [newest] = listOf(await tpp.ask(`${TRANSFERS}?limit=1`), 'payments');
      expectThat(newest?.paymentId === paymentId, 'the payment at the head of the list', 'another');
      await awaitStatus(tpp, `${TRANSFERS}/${paymentId}`, 'COMPLETED');
      expectStatus(await tpp.send(`${TRANSFERS}/${paymentId}`, DELETE), 409);
    },
  },
  {
    clause: '4.5',
    id: 'payment-repeated',
    must: 'The same X-Request-Id and body are the same payment; another body is 409.',
    ...inSandbox,
    async run(tpp) {
      const [json, requestId] = [await laterPaymentOf(tpp), randomUUID()];
      const first = await tpp.ask(TRANSFERS, { ...post(json, requestId), status: 201 });
      const again = await tpp.ask(TRANSFERS, { ...post(json, requestId), status: 201 });
      expectThat(first.paymentId === again.paymentId, 'the same paymentId', 'another');
      const other = await tpp.send(TRANSFERS, post({ ...json, amount: '2.00' }, requestId));
      expectRefusal(other, 409, 'IDEMPOTENCY_CONFLICT');
    },
  },
  {
    clause: '3.3',
    id: 'payment-deleted',
    must: 'A payment that is not booked can be deleted: 404 afterwards, and polling has an empty redirectUrl.',
    ...inSandbox,
    async run(tpp) {
      const { paymentId } = await tpp.ask(TRANSFERS, { ...post(await laterPaymentOf(tpp)), status: 201 });
      const path = `${TRANSFERS}/${String(paymentId)}`;
      expectStatus(await tpp.send(path, DELETE), 204);
      expectRefusal(await tpp.send(path), 404, 'RESOURCE_UNKNOWN');
      const polled = await tpp.ask(`/polling/${String(paymentId)}/status`, { status: 200 });
      expectThat(
        polled.status === 'AWAITING_APPROVAL' && polled.redirectUrl === '',
        'AWAITING_APPROVAL without redirectUrl',
        'others',
      );
    },
  },
  {
    clause: '4.5',
    id: 'payment-form',
    must: 'A payment with missing and wrong fields is 400 with a detail for each.',
    role: 'PSP_PI',
    async run(tpp) {
      const json = { amount: '1e3', currency: 'DKK', senderAccountId: randomUUID() };
      const details = listOf(
        expectRefusal(await tpp.send(TRANSFERS, post(json)), 400, 'FORMAT_ERROR'),
        'details',
      );
      const paths = new Set(details.map(({ path }) => String(path).replace(/^body\./, '')));
      const missing = ['amount', 'receiverName', 'redirectUrl'].filter((field) => !paths.has(field));
      expectThat(missing.length === 0, 'a detail for each field', `none for ${missing.join(', ')}`);
    },
  },
  {
    clause: '3.2',
    id: 'payment-without-funds',
    must: 'A payment that the funds do not cover is REJECTED with the reason FUNDS_INSUFFICIENT.',
    ...inSandbox,
    async run(tpp) {
      const json = { ...(await paymentOf(tpp)), amount: '99999999.00' };
      const { paymentId } = await tpp.ask(TRANSFERS, { ...post(json), status: 201 });
      const { rejection } = await awaitStatus(tpp, `${TRANSFERS}/${String(paymentId)}`, 'REJECTED');
      expectThat(
        (rejection as Json | undefined)?.errorCode === 'FUNDS_INSUFFICIENT',
        'FUNDS_INSUFFICIENT',
        'another reason',
      );
    },
  },
  {
    clause: '4.5',
    id: 'payment-pages',
    must: 'The list of payments has pages that do not overlap.',
    ...inSandbox,
    async run(tpp) {
      for (const _ of [1, 2]) await tpp.ask(TRANSFERS, { ...post(await laterPaymentOf(tpp)), status: 201 });
      const first = await tpp.ask(`${TRANSFERS}?limit=1`);
      const next = await tpp.ask(
        `${TRANSFERS}?limit=1&cursor=${encodeURIComponent(textOf(first, 'nextCursor'))}`,
      );
      const [a, b] = [first, next].map((page) => textOf(listOf(page, 'payments')[0]!, 'paymentId'));
      expectThat(a !== b, 'another payment on the second page', 'the same');
    },
  },
  {
    clause: '4',
    id: 'foreign-payment',
    must: 'Another client’s payment is as unknown as an id that never existed.',
    ...inSandbox,
    async run(tpp) {
      const neighbour = await tpp.neighbour();
      const { paymentId } = await neighbour.ask(TRANSFERS, {
        ...post(await laterPaymentOf(neighbour)),
        status: 201,
      });
      for (const path of [(id: string) => `${TRANSFERS}/${id}`, (id: string) => `/polling/${id}/status`]) {
        const foreign = await tpp.send(path(String(paymentId)));
        expectRefusal(foreign, 404, 'RESOURCE_UNKNOWN');
        expectSameRefusal(foreign, await tpp.send(path(randomUUID())));
      }
      expectRefusal(await tpp.send(`${TRANSFERS}/${String(paymentId)}`, DELETE), 404, 'RESOURCE_UNKNOWN');
    },
  },
  {
    clause: '4.4',
    id: 'draft',
    must: 'A draft is created, valid once its fields are right, and deleted; its id is used once.',
    ...inSandbox,
    async run(tpp) {
      const draftId = await makeDraft(tpp, { ...(await fieldsOf(tpp)), amount: '0' });
      const path = `${DRAFTS}/${draftId}`;
      const wrong = await tpp.ask(path);
      expectThat(
        wrong.isValid === false && listOf(wrong, 'validationErrors').length > 0,
        'isValid: false with a reason',
        'another',
      );
      const right = await tpp.ask(path, { method: 'PATCH', json: { amount: '1.00' } });
      expectThat(right.isValid === true && right.status === 'CREATED', 'isValid: true in CREATED', 'another');
      expectRefusal(await tpp.send(DRAFTS, post({ draftId, name: 'Again' })), 409, 'DUPLICATE_ID');
      expectStatus(await tpp.send(path, DELETE), 204);
      expectRefusal(await tpp.send(path), 404, 'RESOURCE_UNKNOWN');
    },
  },
  {
    clause: '4.4',
    id: 'basket',
    must: 'A basket is approved once per requestId: the same body gets the same answer, another is 409.',
    ...inSandbox,
    async run(tpp) {
      const fields = await fieldsOf(tpp);
      const draftIds = [await makeDraft(tpp, fields), await makeDraft(tpp, fields)];
      const json = { requestId: randomUUID(), draftIds, redirectUrl: await tpp.redirectUri() };
      const approve = '/payments/drafts/approve';
      const first = await tpp.ask(approve, post(json));
      expectThat(URL.canParse(textOf(first, 'authUrl')), 'authUrl as a URL', 'no URL');
      const again = await tpp.ask(approve, post(json));
      expectThat(again.authUrl === first.authUrl, 'the same authUrl', 'another');
      expectStatus(await tpp.send(approve, post({ ...json, draftIds: draftIds.slice(1) })), 409);
      const basket = await tpp.ask(`/payments/drafts/approve/${json.requestId}/status`);
      const found = listOf(basket, 'drafts').map(({ draftId }) => String(draftId));
      expectThat(basket.status === 'APPROVED', 'the status APPROVED', 'another');
      expectThat(
        found.toSorted().join() === draftIds.toSorted().join(),
        'the drafts of the basket',
        'others',
      );
      for (const draftId of draftIds) await awaitStatus(tpp, `${DRAFTS}/${draftId}`, 'COMPLETED');
    },
  },
  {
    clause: '4.4',
    id: 'basket-obstacles',
    must: 'A basket with an invalid or unknown draft is 400 STATUS_INVALID, and nothing is approved.',
    ...inSandbox,
    async run(tpp) {
      const fields = await fieldsOf(tpp);
      const valid = await makeDraft(tpp, fields);
      for (const obstacle of [await makeDraft(tpp, { ...fields, amount: '0' }), randomUUID()]) {
        const json = {
          requestId: randomUUID(),
          draftIds: [valid, obstacle],
          redirectUrl: await tpp.redirectUri(),
        };
        expectRefusal(await tpp.send('/payments/drafts/approve', post(json)), 400, 'STATUS_INVALID');
      }
      expectThat(
        (await tpp.ask(`${DRAFTS}/${valid}`)).status === 'CREATED',
        'the valid draft in CREATED',
        'another status',
      );
    },
  },
  {
    clause: '5.6',
    id: 'redirect-of-payment',
    must: 'A redirectUrl that is not registered is 400.',
    ...inSandbox,
    async run(tpp) {
      const json = { ...(await laterPaymentOf(tpp)), redirectUrl: 'https://other.example/callback' };
      expectRefusal(await tpp.send(TRANSFERS, post(json)), 400, 'FORMAT_ERROR');
    },
  },
  {
    clause: '4.5',
    id: 'standing-order',
    must: 'A standing order is created with its next date, listed, and left out of the list once deleted.',
    ...inSandbox,
    async run(tpp) {
      const json = { ...(await paymentOf(tpp)), startDate: daysAhead(30), frequency: 'Monthly' };
      const paymentId = textOf(await tpp.ask(ORDERS, { ...post(json), status: 201 }), 'paymentId');
      textOf(await tpp.ask(`${ORDERS}/${paymentId}`), 'nextExecutionDate');
      const isListed = async (): Promise<boolean> =>
        listOf(await tpp.ask(ORDERS), 'standingOrders').some((each) => each.paymentId === paymentId);
      expectThat(await isListed(), 'the standing order in the list', 'a list without it');
      expectStatus(await tpp.send(`${ORDERS}/${paymentId}`, DELETE), 204);
      expectThat(!(await isListed()), 'a list without the deleted one', 'the deleted one');
    },
  },
];
