import { randomUUID } from 'node:crypto';
import { expectStatus, jsonOf, textOf } from './expectations.ts';
import { type Credentials, tokenCall } from './register.ts';
import type { Sandbox, Session, Tour } from './script.ts';
import type { Call } from './tpp-client.ts';

/** DELETE /tpp/{clientId}. */
export function deletion(sandbox: Sandbox, { clientId, authorization }: Session): Call {
  return { method: 'DELETE', url: `${sandbox.registrationUrl}/tpp/${clientId}`, authorization };
}

/** The provider deletes its client. */
export async function dropClient({ sandbox, tpp, narrator }: Tour, session: Session): Promise<void> {
  narrator.step('Delete the client');
  const call = deletion(sandbox, session);
  const answer = await tpp.call(call);
  expectStatus(answer, 204);
  narrator.exchange(call, answer);
}

/** After the 204 the token is dead everywhere, at once, and no new one is given. */
export async function oldTokenIsRefused(
  { sandbox, tpp, narrator }: Tour,
  { session, credentials }: { session: Session; credentials: Credentials },
): Promise<void> {
  narrator.step('See the old token refused by every service');
  const { baseUrl, registrationUrl } = sandbox;
  const urls = [
    `${baseUrl}/accounts`,
    `${baseUrl}/payments/drafts/approve/${randomUUID()}/status`,
    `${baseUrl}/v1/webhook-subscriptions`,
    `${registrationUrl}/tpp/${session.clientId}`,
  ];
  for (const url of urls) {
    const call: Call = { method: 'GET', url, authorization: session.authorization };
    const answer = await tpp.call(call);
    expectStatus(answer, 401, 403, 404);
    const json = jsonOf(answer);
    narrator.exchange(call, answer, {
      errorCode: textOf(json, 'errorCode'),
      message: textOf(json, 'message'),
    });
  }
  const call = tokenCall(sandbox, credentials);
  const answer = await tpp.call(call);
  expectStatus(answer, 401);
  narrator.exchange(call, answer, { error: textOf(jsonOf(answer), 'error') });
}
