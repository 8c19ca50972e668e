import { join } from 'node:path';
import { keepPage } from './keep-page.ts';
import { table } from './operations-page.ts';

const SANDBOX_FILE = 'docs/sandbox.md';

/** The organization of a certificate that `kontoport qwac mint` makes without `--organization`. */
const ORGANIZATION = 'PSDDK-DFSA-12345678';

/** What account-information says of its test data (services/account-information/src/account-data/sandbox/test-data.ts). */
interface TestData {
  namespace: string;
  users: readonly {
    name: string;
    loginHint: string;
    key: string;
    id: string;
    accounts: readonly Account[];
  }[];
}

interface Account {
  key: string;
  id: string;
  name: string;
  type: string;
  currency: string;
  bban: string;
  iban: string | undefined;
  supportsPayments: boolean;
  transactions: readonly { key: string; id: string; title: string; status: string; times: number }[];
}

/** docs/sandbox.md: the simulated users with their accounts, transactions and ids. */
export function renderSandbox({ namespace, users }: TestData): string {
  const accounts = users.flatMap((user) => user.accounts.map((account) => ({ user, ...account })));
  const visible = accounts.filter(({ type }) => type === 'CHECKING');
  return `# Test data of the sandbox

<!-- Written by \`npm run index\` from services/account-information/src/account-data/sandbox. -->

Each organization (the organizationIdentifier of its certificates) has one simulated bank, which all its clients share: users,
accounts, transactions, balances and clock. Another organization has another one, and sees nothing of yours.

- **Ids never change.** They are the same after a new registration and after a reset of the sandbox. The ids below are those
  of the organization \`${ORGANIZATION}\`, which \`npx kontoport qwac mint\` writes into certificates; \`GET /sandbox/accounts\` lists
  the accounts of yours.
- **State starts over with a new first client.** When the last client of an organization has been deleted, the next one to
  register finds the balances, the history and the clock of the first day. While another client lives, everything stays.
- **Transactions that you post** have ids of your own choice or random ones. UUIDs of version 5 are reserved for the ids below.
- Dates of the history count back from the day on which the simulated bank is made.

## Users

Every user has accounts in DKK and in SEK, so that one basket can hold a credit transfer and a Swedish giro. \`login_hint\` at
\`/oauth2/authorize\` chooses a user.

${table([
  ['User', '`login_hint`', 'Accounts'],
  ...users.map(({ name, loginHint, accounts: own }) => [
    name,
    `\`${loginHint}\``,
    own
      .filter(({ type }) => type === 'CHECKING')
      .map((account) => `${account.name} (${account.currency})`)
      .join(', '),
  ]),
])}

## Accounts

${table([
  ['User', 'Account', 'Currency', 'BBAN', 'IBAN', 'Pays', `Id for \`${ORGANIZATION}\``, 'Key'],
  ...visible.map(({ user, name, currency, bban, iban, supportsPayments, id, key }) => [
    user.name,
    name,
    currency,
    bban,
    iban ?? '–',
    supportsPayments ? 'yes' : 'no',
    `\`${id}\``,
    `\`${key}\``,
  ]),
])}

Freja Lindholm also has a savings account, which no client sees (§1).

## How ids are made

An id is the UUID version 5 (RFC 9562 §5.5) of a name in the namespace \`${namespace}\`:

${table([
  ['Id of', 'Name'],
  ['a user', '`<organizationIdentifier>/user/<key>`'],
  ['an account', '`<organizationIdentifier>/account/<key>`'],
  ['a transaction', '`<organizationIdentifier>/account/<key of the account>/transaction/<key>`'],
])}

\`\`\`sh
python3 -c "import uuid; print(uuid.uuid5(uuid.UUID('${namespace}'), '${ORGANIZATION}/account/${visible[0]!.key}'))"
\`\`\`

Keys of users: ${users.map(({ name, key }) => `\`${key}\` (${name})`).join(', ')}.

## Transactions

A transaction that repeats has keys that end in a number: 1 is the newest. The id is that of the newest one.

${table([
  ['Account', 'Title', 'Status', 'Times', 'Key', `Id for \`${ORGANIZATION}\``],
  ...visible.flatMap((account) =>
    account.transactions.map(({ title, status, times, key, id }) => [
      account.name,
      title === '' ? '(none)' : title,
      `\`${status}\``,
      String(times),
      `\`${key}\``,
      `\`${id}\``,
    ]),
  ),
])}
`;
}

/** Writes the page, or with `check` compares it; returns what is wrong, a sentence each. */
export async function sandboxPage(root: string, { check }: { check: boolean }): Promise<string[]> {
  const path = join(root, 'services/account-information/src/account-data/sandbox/test-data.ts');
  const { testData } = (await import(path)) as { testData: (organization: string) => TestData };
  return keepPage({ root, file: SANDBOX_FILE, text: renderSandbox(testData(ORGANIZATION)), check });
}
