import { type Route, route } from '@kontoport/gate';
import { PAGE_HEADERS } from '@kontoport/pages';
import { z } from 'zod';
import {
  credentialsForm,
  credentialsProperties,
  readClientCredentials,
} from '../client-authentication/client-credentials.wire.ts';
import { errorPage } from '../pages/error-page.ts';
import { Browser } from '../user-session/browser.ts';
import { type AuthorizationOpener, openAuthorization } from './open-authorization.ts';
import { pushAuthorization, type PushReceiver } from './push-authorization.ts';
import {
  AUTHORIZATION_PROPERTIES,
  type AuthorizationParameters,
  REQUEST_URI_PROPERTY,
} from './read-authorization.ts';

/** Unknown parameters are ignored (RFC 6749 §3.1). */
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
    request_uri: z.string().meta({ description: 'The `request_uri` for the authorization endpoint.' }),
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

/** The endpoint for pushed authorization requests (§4.1, RFC 9126). */
export function pushRoutes(receiver: PushReceiver): Route[] {
  return [
    route({
      method: 'POST',
      path: '/oauth2/par',
      clause: ['§4.1', '§5.9'],
      summary: 'Push an authorization request',
      description:
        'RFC 9126, with the client authentication of the token endpoint. The `request_uri` is valid for this client for 90 ' +
        'seconds, and until the user decides.',
      security: { kind: 'certificate' },
      body: { form: pushBody, example: bodyExample },
      errors: 'oauth',
      answers: { 201: { description: 'The request is accepted.', json: pushAnswer, example: pushExample } },
      refusals: [{ code: 'CLIENT_UNKNOWN', status: 401 }, 'RATE_LIMITED'],
      handler: async ({ body, authorization, principal, requestId, now, signal, identity }) => {
        const { certificate } = principal;
        const { requestUri, expiresIn } = await pushAuthorization(receiver, {
          credentials: readClientCredentials(authorization, body, { issuer: receiver, certificate }),
          given: body as AuthorizationParameters,
          certificate,
          requestId,
          now,
          signal,
          identity,
        });
        const json: z.input<typeof pushAnswer> = { request_uri: requestUri, expires_in: expiresIn };
        return { status: 201, headers: { pragma: 'no-cache' }, json };
      },
    }),
  ];
}

/** The authorization endpoint, for a user's browser (§5.9). */
export function authorizationRoutes(opener: AuthorizationOpener): Route[] {
  return [
    route({
      method: 'GET',
      path: '/oauth2/authorize',
      clause: '§5.9',
      summary: "Ask for a user's consent",
      description:
        'The code flow of RFC 6749 with PKCE S256, opened in a browser: the parameters of `POST /oauth2/par` with ' +
        '`client_id`, or `client_id` and the `request_uri` of a pushed request. Every error except an unknown client or ' +
        'an unregistered redirect URI is sent to the redirect URI, always with `state` and `iss` (RFC 9207). In the ' +
        'sandbox `prompt=none` answers without a page, for the user whom `login_hint` names, or the first.',
      security: { kind: 'public' },
      errors: errorPage(() => undefined),
      query: authorizeQuery,
      answers: {
        303: { description: 'Redirect to the page of the request, or to its redirect URI.', redirect: true },
      },
      refusals: ['STATUS_INVALID'],
      handler: async ({ query, headers, now, signal }) => {
        const browser = new Browser(headers);
        const { location } = await openAuthorization(opener, {
          given: query as AuthorizationParameters,
          browserKey: browser.key(),
          now,
          signal,
        });
        const headersOut = { ...PAGE_HEADERS, 'set-cookie': browser.renewedCookie() };
        return { status: 303, headers: headersOut, redirect: location };
      },
    }),
  ];
}
