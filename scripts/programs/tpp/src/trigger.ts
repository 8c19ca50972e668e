import { createHash, randomBytes } from 'node:crypto';
import { InputError, list, styleFor, UsageError, widthOf } from '@kontoport/command';
import { type Call, jsonOf, openSession, type ProfileOptions, type Session } from '@kontoport/profile';
import { dataFrom } from './call.ts';
import { printAnswer } from './print-answer.ts';

/** The options of `kontoport trigger`. */
export interface TriggerOptions extends ProfileOptions {
  list?: boolean;
  account?: string;
  data?: string;
  json?: boolean;
}

/** Something that the sandbox does on request: a row of `GET /sandbox/triggers`, or one of `OWN`. */
interface Trigger {
  kind: string;
  name: string;
  /** Fields or headers of a request; each alone suffices. */
  values: Readonly<Record<string, string>>;
  effect: string;
  status?: string;
  errorCode?: string;
}

/** Triggers that need no value of their own. */
const OWN: readonly Trigger[] = [
  {
    kind: 'transaction',
    name: 'posting',
    values: {},
    effect: 'The bank posts a card payment, and reports it by webhooks.',
  },
  {
    kind: 'transaction',
    name: 'authorization',
    values: {},
    effect: 'The bank holds the amount of a card payment. It settles after two days of its clock.',
  },
];

/** The context of every trigger. */
interface Scene {
  session: Session;
  trigger: Trigger;
  options: TriggerOptions;
}

const PURCHASE = { amount: -249.95, title: 'Nordlys Dagligvarer', type: 'card' };
const TRANSFER = { receiverName: 'Havnens Cykler ApS', amount: '25.00' };

/** The request of each kind of trigger. */
const REQUESTS: Readonly<Record<string, (scene: Scene) => Promise<Call>>> = {
  transaction: async (scene) => {
    const { id, currency } = await accountOf(scene);
    const path = `/sandbox/accounts/${id}/${scene.trigger.name}s`;
    return post(scene, path, { ...PURCHASE, currency });
  },
  payment: async (scene) => {
    const { id, currency } = await accountOf(scene);
    const { receiverAccountBban } = scene.trigger.values;
    const fields = { ...TRANSFER, receiverAccountBban, currency, senderAccountId: id };
    const redirectUrl = await redirectUri(scene.session);
    return post(scene, '/payments/domestic-credit-transfer', { ...fields, redirectUrl });
  },
  user: async ({ session, trigger }) => {
    const parameters = new URLSearchParams({
      ...trigger.values,
      prompt: 'none',
      response_type: 'code',
      client_id: session.profile.clientId,
      redirect_uri: await redirectUri(session),
      code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
      code_challenge_method: 'S256',
    });
    return { method: 'GET', url: `${session.stack.userUrl}/oauth2/authorize?${parameters.toString()}` };
  },
  request: async ({ session, trigger }) => ({
    method: 'GET',
    url: `${session.stack.baseUrl}/accounts`,
    headers: trigger.values,
  }),
};

/** Lists the triggers, or makes one happen. @returns the exit status: 1 for an answer of 400 or more */
export async function trigger(name: string | undefined, options: TriggerOptions): Promise<number> {
  const session = openSession(options);
  try {
    const { triggers } = (await session.ask('GET', '/sandbox/triggers')) as { triggers: Trigger[] };
    const known = [...OWN, ...triggers];
    if (options.list || name === undefined) {
      print(known, options);
      return 0;
    }
    const found = known.find((row) => row.name === name);
    if (found === undefined)
      throw new InputError(
        `no trigger is called "${name}". Known are ${known.map((row) => row.name).join(', ')}.`,
      );
    const makeRequest = REQUESTS[found.kind];
    if (makeRequest === undefined)
      throw new InputError(
        `${name} is for you to make: ${Object.entries(found.values).flat().join(' ')}. ${found.effect}`,
      );
    const request = await makeRequest({ session, trigger: found, options });
    return printAnswer(request, await session.send(request), options);
  } finally {
    await session.close();
  }
}

async function post({ session, options }: Scene, path: string, fields: object): Promise<Call> {
  const changed = JSON.parse((await dataFrom(options.data)) ?? '{}') as object;
  return {
    method: 'POST',
    url: session.stack.baseUrl + path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...fields, ...changed }),
  };
}

/** Finds the account by its id, or the first Danish one that can pay. */
async function accountOf({ session, options }: Scene): Promise<{ id: string; currency: string }> {
  const { accounts } = (await session.ask('GET', '/sandbox/accounts')) as {
    accounts: { id: string; currency: string; supportsPayments: boolean }[];
  };
  const account = accounts.find((each) =>
    options.account === undefined
      ? each.currency === 'DKK' && each.supportsPayments
      : each.id === options.account,
  );
  if (account === undefined) throw new UsageError('--account is an id that GET /sandbox/accounts lists');
  return account;
}

/** The first redirect URI of the client. */
async function redirectUri({ stack, profile, send }: Session): Promise<string> {
  const url = `${stack.registrationUrl}/tpp/${profile.clientId}`;
  const { redirectUris } = jsonOf(await send({ method: 'GET', url })) as { redirectUris: [string] };
  return redirectUris[0];
}

function print(triggers: readonly Trigger[], { json }: TriggerOptions): void {
  if (json) return console.log(JSON.stringify(triggers, undefined, 2));
  const style = styleFor(process.stdout, process.env);
  const rows = triggers.map(({ name, effect, status, errorCode }) => ({
    name,
    what: [effect, [status, errorCode].filter(Boolean).join(', ')].filter(Boolean).join(' → '),
  }));
  const mark = ({ name, what }: { name: string; what: string }) => ({ name: style('bold', name), what });
  for (const line of list(rows, { width: widthOf(process.stdout), mark })) console.log(line);
}
