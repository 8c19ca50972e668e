import { readFileSync } from 'node:fs';
import { askUser } from './ask-user.ts';
import { paySingly, repeatMonthly } from './initiate.ts';
import type { Narrator } from './narrator.ts';
import { cancelPayment, payByDraft, payByGiro } from './pay.ts';
import { chooseAccount, findPosted, readTransactions } from './read-accounts.ts';
import { deletion, getToken, leave, mintIdentity, register } from './register.ts';
import type { Sandbox, SignedIn, Tour, Visit } from './script.ts';
import { createTppClient } from './tpp-client.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';
import { moveClock, receiveEvent, repairWebhooks, subscribe } from './webhooks.ts';

/** Runs the tour. @throws TourFailure when the bank does something else than the contract promises */
export async function runTour(sandbox: Sandbox, narrator: Narrator): Promise<void> {
  const started = performance.now();
  const ca = readFileSync(sandbox.serverCa, 'utf8');
  const { chainPem, keyPem } = await mintIdentity({ sandbox, narrator });
  const tpp = createTppClient({ cert: chainPem, key: keyPem, ca });
  const receiver = await startWebhookReceiver();
  const tour: Tour = { sandbox, tpp, narrator, ca };
  let signedIn: SignedIn | undefined;
  try {
    const credentials = await register(tour);
    signedIn = { ...tour, credentials, authorization: await getToken(tour, credentials) };
    const account = await chooseAccount(signedIn);
    const known = await readTransactions(signedIn, account);
    const subscriptionId = await subscribe(signedIn, receiver);
    const visit: Visit = { ...signedIn, account, receiver, subscriptionId };
    await payByDraft(visit);
    await receiveEvent(visit, await findPosted(visit, known));
    await askUser(visit);
    await payByGiro(visit);
    await cancelPayment(visit);
    await paySingly(visit);
    await moveClock(visit);
    await repeatMonthly(visit);
    await repairWebhooks(visit);
    await leave(visit);
    signedIn = undefined;
  } finally {
    // A failed tour leaves no client behind that would still receive webhooks.
    if (signedIn) await tpp.call(deletion(signedIn)).catch(() => undefined);
    await tpp.close();
    await receiver.close();
  }
  narrator.end(`The tour is complete: ${((performance.now() - started) / 1_000).toFixed(1)} s.`);
}
