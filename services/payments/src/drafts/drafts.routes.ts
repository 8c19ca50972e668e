import { ApiError } from '@kontoport/errors';
import { route, type Route } from '@kontoport/gate';
import type { FindAccount } from '../accounts/account-access.ts';
import type { DraftKey, PaymentStore } from '../store/payment-store.ts';
import { cancelPayment, newDraft } from './draft.model.ts';
import { createDraftBody, draftToWire, transferFieldsBody, uuidOr404 } from './draft.wire.ts';
import { requireDraft, updateDraft } from './update-draft.ts';

const security = { kind: 'token', scope: 'PSP_PI' } as const;
const paymentType = 'domestic-credit-transfer';

/** Drafts of domestic credit transfers and their payments (specification §4.4). The type is part of the path. */
export function draftRoutes(parts: { store: PaymentStore; findAccount: FindAccount }): Route[] {
  const { store } = parts;
  return [
    route({
      method: 'POST',
      path: `/payments/drafts/${paymentType}`,
      security,
      body: { json: createDraftBody },
      handler: async ({ proven, body, now }) => {
        const draft = newDraft({ ...body, clientId: proven.client.clientId, paymentType }, now);
        if ((await store.createDraft(draft)) === 'taken')
          throw new ApiError('DUPLICATE_ID', 'You have a draft with this draftId already.');
        return { status: 201, json: draftToWire(draft) };
      },
    }),
    route({
      method: 'GET',
      path: `/payments/drafts/${paymentType}/:draftId`,
      security,
      handler: async (request) => {
        const draft = requireDraft(await store.findDraft(keyOf(request)));
        return { status: 200, json: draftToWire(draft) };
      },
    }),
    route({
      method: 'PATCH',
      path: `/payments/drafts/${paymentType}/:draftId`,
      security,
      body: { json: transferFieldsBody },
      handler: async (request) => {
        const { body: fields, signal } = request;
        const draft = await updateDraft(parts, { key: keyOf(request), fields, signal });
        return { status: 200, json: draftToWire(draft) };
      },
    }),
    route({
      method: 'DELETE',
      path: `/payments/drafts/${paymentType}/:draftId/payment`,
      security,
      handler: async (request) => {
        const key = keyOf(request);
        requireDraft(await store.updateDraft({ ...key, change: (draft) => cancelPayment(draft, key.now) }));
        return { status: 204 };
      },
    }),
  ];
}

function keyOf(request: {
  proven: { client: { clientId: string } };
  params: Readonly<Record<string, string>>;
  now: Date;
}): DraftKey {
  const { proven, params, now } = request;
  return { clientId: proven.client.clientId, draftId: uuidOr404(params.draftId), now };
}
