import { route, type Route } from '@kontoport/gate';
import type { z } from 'zod';
import type { BasketState } from '../domain/basket-state.model.ts';
import {
  digestOf,
  type InitiationRequest,
  type ValidInitiation,
} from '../domain/initiations/initiation.model.ts';
import type { PaymentTypeRules } from '../domain/payment-types/payment-type.ts';
import { initiate, type InitiateDeps, type InitiationOrder } from './initiate.ts';
import {
  fieldsOf,
  initiationAnswer,
  type InitiationBody,
  initiationBody,
  initiationExample,
  initiationToWire,
} from './initiation.wire.ts';

/** The route that initiates payments of one kind (§4.5). */
export function initiationRoute<More extends z.ZodRawShape>(
  deps: InitiateDeps & { userUrl: string },
  options: {
    kind: InitiationOrder['kind'];
    path: string;
    paymentType: string;
    rules: PaymentTypeRules;
    /** The fields of this kind, and what they and the common ones may be. */
    more: More;
    example: object;
    summary: string;
    description: string;
    refusals: NonNullable<Parameters<typeof route>[0]['refusals']>;
    /** Makes the records; see `initiate`. */
    make: (
      initiated: ValidInitiation,
      request: InitiationRequest,
      body: InitiationBody & z.output<z.ZodObject<More>>,
    ) => Omit<BasketState, 'basket'>;
  },
): Route {
  const { kind, path, paymentType, rules, more, example, summary, description, refusals, make } = options;
  return route({
    method: 'POST',
    path,
    clause: ['§4.5', '§3.3'],
    summary,
    description,
    security: { kind: 'token', scope: 'PSP_PI' },
    body: { json: initiationBody(rules, more), example: { ...rules.example, ...example } },
    answers: {
      201: {
        description: `The ${kind === 'single payment' ? 'payment' : kind}, and the URL at which the user continues.`,
        json: initiationAnswer,
        example: initiationExample,
      },
    },
    refusals,
    handler: async ({ principal: { client, token }, body, givenRequestId: key, now, signal, language }) => {
      const { name, message, redirectUrl } = body;
      const fields = fieldsOf(rules, body);
      const who = { kind, client, consentId: token.consentId, key, now, signal };
      const what = { digest: digestOf(path, body), rules, fields, redirectUrl };
      const basket = await initiate(deps, { ...who, ...what }, (initiated) =>
        make(initiated, { paymentType, fields, redirectUrl, name, message }, body),
      );
      const { warnings } = rules.validate(fields, undefined);
      return { status: 201, json: initiationToWire(basket, { userUrl: deps.userUrl, warnings, language }) };
    },
  });
}
