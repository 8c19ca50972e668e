import { readFileSync } from 'node:fs';
import { askUser } from './ask-user.ts';
import { paySingly, repeatMonthly } from './initiate.ts';
import { deletion, dropClient, oldTokenIsRefused } from './leave.ts';
import { moveClock } from './move-clock.ts';
import type { Narrator } from './narrator.ts';
import { cancelPayment, payByGiro } from './other-payments.ts';
import { payByDraft } from './pay.ts';
import { chooseAccount, findPosted, readTransactions } from './read-accounts.ts';
import { getToken, mintIdentity, register } from './register.ts';
import { repairWebhooks } from './repair-webhooks.ts';
import type { Sandbox, Session, Tour } from './script.ts';
import { createTppClient } from './tpp-client.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';
import { receiveEvent, subscribe } from './webhooks.ts';

/**
 * The main job of an open banking door, seen from outside.
 * @throws TourFailure with what was expected and what came instead
 */
export async function runTour(sandbox: Sandbox, narrator: Narrator): Promise<void> {
  const started = performance.now();
  const ca = readFileSync(sandbox.serverCa, 'utf8');
  const identity = await mintIdentity({ issuer: sandbox.issuingCa, narrator });
  const tpp = createTppClient({ cert: identity.chainPem, key: identity.keyPem, ca });
  const receiver = await startWebhookReceiver();
  const tour: Tour = { sandbox, tpp, narrator };
  let session: Session | undefined;
  try {
    const credentials = await register(tour);
    session = await getToken(tour, credentials);
    const account = await chooseAccount(tour, session);
    const known = await readTransactions(tour, session, account);
    const subscription = await subscribe(tour, session, receiver);
    await payByDraft(tour, { session, account, ca });
    const posted = await findPosted(tour, { session, account, known });
    await receiveEvent(tour, { receiver, subscription, account, posted });
    await askUser(tour, { session, credentials, ca });
    await payByGiro(tour, session);
    await cancelPayment(tour, session, account);
    await paySingly(tour, session, account);
    await moveClock(tour, { session, account, receiver });
    await repeatMonthly(tour, session, account);
    await repairWebhooks(tour, { session, receiver, subscription });
    await dropClient(tour, session);
    await oldTokenIsRefused(tour, { session, credentials });
    session = undefined;
  } finally {
    // A tour that failed half way leaves no client behind that would still be sent webhooks.
    if (session) await tpp.call(deletion(sandbox, session)).catch(() => undefined);
    tpp.close();
    await receiver.close();
  }
  narrator.end(`The tour is complete: ${((performance.now() - started) / 1_000).toFixed(1)} s.`);
}
