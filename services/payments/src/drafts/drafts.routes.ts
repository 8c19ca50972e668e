import { ApiError } from '@kontoport/errors';
import { route, type Route } from '@kontoport/gate';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import { newDraft, requireDeletable, unknownDraft } from '../domain/draft.model.ts';
import type { Owner } from '../domain/owner.model.ts';
import type { FindAccount } from '../domain/payment-types/payment-type.model.ts';
import type { PaymentTypeRules, PaymentTypes } from '../domain/payment-types/payment-type.ts';
import type { DraftStore } from '../domain/ports/draft-store.ts';
import { TEXTS } from '../domain/texts.ts';
import { createDraftBody, createDraftExample, draftAnswer, draftExample, draftToWire } from './draft.wire.ts';
import { updateDraft } from './update-draft.ts';

const security = { kind: 'token', scope: 'PSP_PI' } as const;

interface DraftDeps {
  store: DraftStore;
  findAccount: FindAccount;
}

/** A payment type and the wire format of its drafts. */
interface DraftType {
  paymentType: string;
  rules: PaymentTypeRules;
  answer: { json: z.ZodType; example: unknown };
}

/** Drafts and their payments, for each payment type (§4.4). The type is part of the path. */
export function draftRoutes(deps: DraftDeps & { paymentTypes: PaymentTypes }): Route[] {
  return Object.entries(deps.paymentTypes).flatMap(([paymentType, rules]) => {
    const answer = {
      json: draftAnswer(paymentType, rules),
      example: draftExample(paymentType, rules),
    };
    const type: DraftType = { paymentType, rules, answer };
    return [createRoute(deps, type), readRoute(deps, type), updateRoute(deps, type), deleteRoute(deps, type)];
  });
}

function createRoute({ store }: DraftDeps, { paymentType, rules, answer }: DraftType): Route {
  return route({
    method: 'POST',
    path: `/payments/drafts/${paymentType}`,
    clause: ['§4.4', '§3.2', '§2.10'],
    summary: `Create a draft of a ${rules.title}`,
    description: 'The caller chooses the `draftId`. PATCH sets its fields.',
    security,
    body: { json: createDraftBody, example: createDraftExample },
    answers: { 201: { description: 'The draft, `CREATED`.', ...answer } },
    refusals: ['DUPLICATE_ID', 'RATE_LIMITED'],
    handler: async ({ principal, body, language, now }) => {
      const { clientId, organizationIdentifier } = principal.client;
      const { consentId } = principal.token;
      const made = { ...(consentId === undefined ? {} : { consentId }), clientId, organizationIdentifier };
      const given = { ...body, ...made, paymentType };
      const draft = newDraft(given, { rules, now });
      if ((await store.createDraft(draft)) === 'taken')
        throw new ApiError('DUPLICATE_ID', TEXTS('draft-id-taken'));
      return { status: 201, json: draftToWire(draft, language), language };
    },
  });
}

function readRoute({ store }: DraftDeps, type: DraftType): Route {
  return route({
    method: 'GET',
    path: `/payments/drafts/${type.paymentType}/:draftId`,
    clause: ['§4.4', '§2.10'],
    summary: `Read a draft of a ${type.rules.title}`,
    security,
    ...draftOfPath(store, type),
    answers: { 200: { description: 'The draft.', ...type.answer } },
    handler: async ({ resource: draft, language }) => ({
      status: 200,
      json: draftToWire(draft, language),
      language,
    }),
  });
}

function updateRoute(deps: DraftDeps, type: DraftType): Route {
  const { paymentType, rules, answer } = type;
  return route({
    method: 'PATCH',
    path: `/payments/drafts/${paymentType}/:draftId`,
    clause: ['§4.4', '§3.2', '§2.10'],
    summary: `Fill in fields of a draft of a ${rules.title}`,
    description:
      'Any of the fields, in any order. Wrong content is stored and reported in `validationErrors`.',
    security,
    ...draftOfPath(deps.store, type),
    body: { json: rules.fields, example: rules.example },
    answers: { 200: { description: 'The draft, with `isValid`.', ...answer } },
    refusals: ['STATUS_INVALID'],
    handler: async ({ resource: draft, body: fields, language, now, signal }) => {
      const updated = await updateDraft(deps, { draft, rules, fields, now, signal });
      return { status: 200, json: draftToWire(updated, language), language };
    },
  });
}

function deleteRoute({ store }: DraftDeps, type: DraftType): Route {
  return route({
    method: 'DELETE',
    path: `/payments/drafts/${type.paymentType}/:draftId`,
    clause: ['§4.4', '§2.10'],
    summary: `Delete a draft of a ${type.rules.title}`,
    description:
      'Allowed in `CREATED`, `REJECTED` and `EXPIRED`; afterwards its `draftId` is free. A draft that waits for its ' +
      'user, or whose payment is pending or completed, stays: 409.',
    security,
    ...draftOfPath(store, type),
    answers: { 204: { description: 'The draft is deleted.' } },
    refusals: ['STATUS_INVALID'],
    handler: async ({ resource: { clientId, draftId }, now }) => {
      const gone = await store.deleteDraft({ clientId, draftId, now, check: requireDeletable });
      if (!gone) throw unknownDraft();
      return { status: 204 };
    },
  });
}

/** The draft of the path, which must be the token's own, staged by it, and of the path's payment type. */
export function draftOfPath(store: Pick<DraftStore, 'findDraft'>, { paymentType }: { paymentType: string }) {
  return {
    params: z.object({ draftId: uuid.meta({ description: 'The draftId that the caller chose.' }) }),
    unknown: unknownDraft,
    resource: async (request: { principal: { token: Owner }; params: { draftId: string }; now: Date }) => {
      const { clientId, consentId } = request.principal.token;
      const { params, now } = request;
      const draft = await store.findDraft({ clientId, consentId, ...params, now });
      if (draft?.kind !== 'draft' || draft.paymentType !== paymentType) throw unknownDraft();
      return draft;
    },
  };
}
