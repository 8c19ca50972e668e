import { ApiError } from '@kontoport/errors';
import { route, type Route } from '@kontoport/gate';
import type { FindAccount } from '../accounts/account-access.ts';
import type { PaymentTypeRules, PaymentTypes } from '../payment-types/payment-types.ts';
import type { DraftKey, PaymentStore } from '../store/payment-store.ts';
import { TEXTS } from '../texts.ts';
import { cancelPayment, type Draft, newDraft } from './draft.model.ts';
import { createDraftBody, draftToWire, uuidOr404 } from './draft.wire.ts';
import { requireDraft, updateDraft } from './update-draft.ts';

const security = { kind: 'token', scope: 'PSP_PI' } as const;

interface DraftDeps {
  store: PaymentStore;
  findAccount: FindAccount;
}

/** Drafts and their payments, for each payment type (§4.4). The type is part of the path. */
export function draftRoutes(deps: DraftDeps & { paymentTypes: PaymentTypes }): Route[] {
  return Object.entries(deps.paymentTypes).flatMap(([paymentType, rules]) => [
    createRoute(deps, paymentType, rules),
    readRoute(deps, paymentType),
    updateRoute(deps, paymentType, rules),
    ...(rules.onDeletion === 'draft-again' ? [cancelRoute(deps, paymentType)] : []),
  ]);
}

function createRoute({ store }: DraftDeps, paymentType: string, rules: PaymentTypeRules): Route {
  return route({
    method: 'POST',
    path: `/payments/drafts/${paymentType}`,
    security,
    body: { json: createDraftBody },
    handler: async ({ proven, body, now }) => {
      const { clientId } = proven.client;
      const draft = newDraft({ ...body, clientId, paymentType }, { rules, now });
      if ((await store.createDraft(draft)) === 'taken')
        throw new ApiError('DUPLICATE_ID', TEXTS('draft-id-taken'));
      return { status: 201, json: draftToWire(draft, 'en') };
    },
  });
}

function readRoute({ store }: DraftDeps, paymentType: string): Route {
  return route({
    method: 'GET',
    path: `/payments/drafts/${paymentType}/:draftId`,
    security,
    handler: async (request) => {
      const draft = await findDraft(store, paymentType, keyOf(request));
      return { status: 200, json: draftToWire(draft, 'en') };
    },
  });
}

function updateRoute(deps: DraftDeps, paymentType: string, rules: PaymentTypeRules): Route {
  return route({
    method: 'PATCH',
    path: `/payments/drafts/${paymentType}/:draftId`,
    security,
    body: { json: rules.fields },
    handler: async (request) => {
      const { body: fields, now, signal } = request;
      const draft = await findDraft(deps.store, paymentType, keyOf(request));
      const updated = await updateDraft(deps, { draft, rules, fields, now, signal });
      return { status: 200, json: draftToWire(updated, 'en') };
    },
  });
}

function cancelRoute({ store }: DraftDeps, paymentType: string): Route {
  return route({
    method: 'DELETE',
    path: `/payments/drafts/${paymentType}/:draftId/payment`,
    security,
    handler: async (request) => {
      const key = keyOf(request);
      await findDraft(store, paymentType, key);
      requireDraft(await store.updateDraft({ ...key, change: (draft) => cancelPayment(draft, key.now) }));
      return { status: 204 };
    },
  });
}

async function findDraft(store: PaymentStore, paymentType: string, key: DraftKey): Promise<Draft> {
  const draft = await store.findDraft(key);
  return requireDraft(draft?.paymentType === paymentType ? draft : undefined);
}

function keyOf(request: {
  proven: { client: { clientId: string } };
  params: Readonly<Record<string, string>>;
  now: Date;
}): DraftKey {
  const { proven, params, now } = request;
  return { clientId: proven.client.clientId, draftId: uuidOr404(params.draftId), now };
}
