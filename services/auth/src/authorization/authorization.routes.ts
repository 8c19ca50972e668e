import { type Route, route } from '@kontoport/gate';
import { PAGE_HEADERS } from '@kontoport/http';
import { z } from 'zod';
import { errorPage } from '../pages/error-page.ts';
import {
  credentialsForm,
  credentialsProperties,
  readClientCredentials,
} from '../token/token-request.wire.ts';
import { browserKeyCookie, newBrowserKey, readBrowserKey } from '../user-session/browser-key.ts';
import { type AuthorizationOpener, openAuthorization } from './open-authorization.ts';
import { pushAuthorization, type PushTaker } from './push-authorization.ts';
import {
  AUTHORIZATION_PROPERTIES,
  type AuthorizationParameters,
  REQUEST_URI_PROPERTY,
} from './read-authorization.ts';

/** Parameters that nobody knows are ignored (RFC 6749 §3.1). */
const authorizeQuery = z.looseObject(
  Object.fromEntries(
    Object.entries({ ...AUTHORIZATION_PROPERTIES, request_uri: REQUEST_URI_PROPERTY }).map(
      ([name, { description }]) => [name, z.string().optional().meta({ description })],
    ),
  ),
);

const pushBody = z.looseObject(credentialsForm).meta({
  override: {
    properties: { ...AUTHORIZATION_PROPERTIES, ...credentialsProperties },
    required: ['response_type', 'redirect_uri', 'code_challenge', 'code_challenge_method'],
  },
});

const pushAnswer = z
  .object({
    request_uri: z.string().meta({ description: 'For `request_uri` at the authorization endpoint.' }),
    expires_in: z.int().positive().meta({ description: 'Seconds.' }),
  })
  .meta({ id: 'PushedRequest' });

const pushExample: z.input<typeof pushAnswer> = {
  request_uri: 'urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c',
  expires_in: 90,
};

const bodyExample = {
  response_type: 'code',
  redirect_uri: 'https://app.fjordbudget.example/callback',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  scope: 'PSP_AI',
  state: 'af0ifjsldkj',
};

/** Where a client asks for a user's consent before its browser does (§4.1, RFC 9126). */
export function pushRoutes(taker: PushTaker): Route[] {
  return [
    route({
      method: 'POST',
      path: '/oauth2/par',
      clause: ['§4.1', '§5.9'],
      summary: 'Push an authorization request',
      description:
        'RFC 9126, with the authentication of the token endpoint. The answer names the request for 90 seconds, for this ' +
        'client, until its user has decided.',
      security: { kind: 'certificate' },
      body: { form: pushBody, example: bodyExample },
      errors: 'oauth',
      answers: { 201: { description: 'The request was taken.', json: pushAnswer, example: pushExample } },
      refusals: [{ code: 'CLIENT_UNKNOWN', status: 401 }, 'RATE_LIMITED'],
      handler: async ({ body, authorization, proven, requestId, now, signal }) => {
        const { certificate } = proven;
        const { requestUri, expiresIn } = await pushAuthorization(taker, {
          credentials: readClientCredentials(authorization, body, { issuer: taker, certificate }),
          given: body as AuthorizationParameters,
          certificate,
          requestId,
          now,
          signal,
        });
        const json: z.input<typeof pushAnswer> = { request_uri: requestUri, expires_in: expiresIn };
        return { status: 201, headers: { pragma: 'no-cache' }, json };
      },
    }),
  ];
}

/** Where a user's browser brings an authorization request (§5.9). */
export function authorizationRoutes(opener: AuthorizationOpener): Route[] {
  return [
    route({
      method: 'GET',
      path: '/oauth2/authorize',
      clause: '§5.9',
      summary: "Ask for a user's consent",
      description:
        'The code flow of RFC 6749 with PKCE S256, opened in a browser: the parameters of `POST /oauth2/par` with ' +
        '`client_id`, or `client_id` and the `request_uri` of a pushed request. Every error but an unknown client or a ' +
        'redirect URI that is not registered is told to the redirect URI, always with `state` and `iss` (RFC 9207). In the ' +
        'sandbox `prompt=none` answers at once, for the user whom `login_hint` names, or the first.',
      security: { kind: 'public' },
      errors: errorPage(() => undefined),
      query: authorizeQuery,
      answers: {
        303: { description: 'On to the page of the request, or to its redirect URI.', redirect: true },
      },
      refusals: ['STATUS_INVALID'],
      handler: async ({ query, headers, now, signal }) => {
        const browserKey = readBrowserKey(headers) ?? newBrowserKey();
        const { location } = await openAuthorization(opener, {
          given: query as AuthorizationParameters,
          browserKey,
          now,
          signal,
        });
        // Sent again each time: a browser that has it keeps it.
        const headersOut = { ...PAGE_HEADERS, 'set-cookie': browserKeyCookie(browserKey) };
        return { status: 303, headers: headersOut, redirect: location };
      },
    }),
  ];
}
