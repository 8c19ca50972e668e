import { InputError, list, UsageError, widthOf } from '@kontoport/command';
import { type Call, openSession, type ProfileOptions, type Session } from '@kontoport/profile';
import { dataFrom } from './call.ts';
import { printAnswer } from './print-answer.ts';

/** The options of `kontoport trigger`. */
export interface TriggerOptions extends ProfileOptions {
  list?: boolean;
  account?: string;
  data?: string;
  json?: boolean;
}

/** An account of the simulated bank. */
interface Account {
  id: string;
  currency: string;
  supportsPayments: boolean;
}

/** Something that the simulated bank does on request. */
interface Trigger {
  effect: string;
  /** Makes the call. */
  request(account: Account): { path: string; json: Record<string, unknown> };
}

const purchase = ({ currency }: Account) => ({
  amount: -249.95,
  currency,
  title: 'Nordlys Dagligvarer',
  type: 'card',
});

const TRIGGERS: Readonly<Record<string, Trigger>> = {
  posting: {
    effect: 'The bank posts a card payment, and reports it by webhooks.',
    request: (account) => ({ path: `/sandbox/accounts/${account.id}/postings`, json: purchase(account) }),
  },
  authorization: {
    effect: 'The bank holds the amount of a card payment. It settles after two days of its clock.',
    request: (account) => ({
      path: `/sandbox/accounts/${account.id}/authorizations`,
      json: purchase(account),
    }),
  },
};

/** Lists the triggers, or makes one happen. @returns the exit status */
export async function trigger(name: string | undefined, options: TriggerOptions): Promise<number> {
  const session = openSession(options);
  try {
    if (options.list || name === undefined) return print(options);
    const found = TRIGGERS[name];
    if (found === undefined)
      throw new InputError(`no trigger is called "${name}". Known are ${Object.keys(TRIGGERS).join(', ')}.`);
    const { path, json } = found.request(await accountOf(session, options.account));
    const changed = JSON.parse((await dataFrom(options.data)) ?? '{}') as Record<string, unknown>;
    const request: Call = {
      method: 'POST',
      url: session.stack.baseUrl + path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...json, ...changed }),
    };
    return printAnswer(request, await session.send(request), options);
  } finally {
    await session.close();
  }
}

/** Finds the account by its id, or the first Danish one that can pay. */
async function accountOf(session: Session, id: string | undefined): Promise<Account> {
  const { accounts } = (await session.ask('GET', '/sandbox/accounts')) as { accounts: Account[] };
  const account = accounts.find((each) =>
    id === undefined ? each.currency === 'DKK' && each.supportsPayments : each.id === id,
  );
  if (account === undefined)
    throw new UsageError(`--account is one of the ids that GET /sandbox/accounts lists, not ${id}`);
  return account;
}

function print({ json }: TriggerOptions): number {
  const rows = Object.entries(TRIGGERS).map(([name, { effect }]) => ({ name, effect }));
  if (json) console.log(JSON.stringify(rows, undefined, 2));
  else
    for (const line of list(
      rows.map(({ name, effect }) => ({ name, what: effect })),
      { width: widthOf(process.stdout) },
    ))
      console.log(line);
  return 0;
}
