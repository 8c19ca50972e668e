import { join } from 'node:path';
import {
  PAYMENT_TRIGGERS,
  REQUEST_TRIGGERS,
  type Trigger,
  USER_TRIGGERS,
  WEBHOOK_TRIGGERS,
} from '@kontoport/sandbox-triggers';
import { type Blocks, table } from './keep-page.ts';

/** The organization of a certificate that `kontoport qwac mint` makes without `--organization`. */
const ORGANIZATION = 'PSDDK-DFSA-12345678';

/** The part of the test data of account-information that the page shows (services/account-information/src/account-data/sandbox/test-data.ts). */
interface TestData {
  namespace: string;
  users: readonly {
    name: string;
    loginHint: string;
    key: string;
    id: string;
    accounts: readonly Account[];
    /** Keys of accounts of another user that this user owns jointly. */
    jointAccounts: readonly string[];
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

/** The simulated users of docs/sandbox.md, with their accounts, transactions and ids, and the triggers. */
export async function sandboxBlocks(root: string): Promise<Blocks> {
  const path = join(root, 'services/account-information/src/account-data/sandbox/test-data.ts');
  const { testData } = (await import(path)) as { testData: (organization: string) => TestData };
  const { namespace, users } = testData(ORGANIZATION);
  const accounts = users.flatMap((user) => user.accounts.map((account) => ({ user, ...account })));
  const visible = accounts.filter(({ type }) => type === 'CHECKING');
  return {
    'payment triggers': table([
      ['Name', '`receiverAccountBban`', '`receiverGiroNumber`', 'At', 'Effect', 'Status', 'Code', '`error`'],
      ...PAYMENT_TRIGGERS.map(({ name, values, at, effect, status, errorCode, redirectError }) => [
        code(name),
        code(values.receiverAccountBban),
        code(values.receiverGiroNumber),
        at,
        effect,
        code(status),
        code(errorCode),
        code(redirectError),
      ]),
    ]),
    'user triggers': triggerTable(USER_TRIGGERS),
    'request triggers': triggerTable(REQUEST_TRIGGERS),
    'webhook triggers': triggerTable(WEBHOOK_TRIGGERS),
    users: table([
      ['User', '`login_hint`', 'Key', 'Accounts'],
      ...users.map(({ name, loginHint, key, jointAccounts }) => [
        name,
        `\`${loginHint}\``,
        `\`${key}\``,
        visible
          .filter((account) => account.user.key === key || jointAccounts.includes(account.key))
          .map((account) => `${account.name} (${account.currency})`)
          .join(', '),
      ]),
    ]),
    accounts: table([
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
    ]),
    namespace: `\`\`\`sh
python3 -c "import uuid; print(uuid.uuid5(uuid.UUID('${namespace}'), '${ORGANIZATION}/account/${visible[0]!.key}'))"
\`\`\``,
    transactions: table([
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
    ]),
  };
}

const triggerTable = (triggers: readonly Trigger[]): string =>
  table([
    ['Name', 'Value', 'Effect', 'Code'],
    ...triggers.map(({ name, values, effect, errorCode }) => [
      code(name),
      Object.entries(values)
        .map(([field, value]) => code(`${field}: ${value}`))
        .join(', '),
      effect,
      code(errorCode),
    ]),
  ]);

const code = (value: string | undefined): string => (value === undefined ? '–' : `\`${value}\``);
