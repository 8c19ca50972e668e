import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

const START = Date.UTC(2026, 0, 1);

/** Makes the same id for the same name in every run, so that a repeated run makes the same file. */
function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Makes a practice file: accounts, and the given number of transactions on them in turn. One in ten is a card authorization
 * that settles twenty lines later.
 */
export async function makeFile(
  file: string,
  { transactions, accounts }: { transactions: number; accounts: number },
): Promise<void> {
  const output = createWriteStream(file, { flags: 'wx' });
  await once(output, 'open');
  const write = async (line: object): Promise<void> => {
    if (!output.write(`${JSON.stringify(line)}\n`)) await once(output, 'drain');
  };
  const ids = Array.from({ length: accounts }, (_, at) => uuidOf(`account ${at}`));
  for (const [at, accountId] of ids.entries())
    await write({
      account: {
        accountId,
        userId: uuidOf(`user ${at}`),
        name: `Practice ${at + 1}`,
        type: 'CHECKING',
        currency: 'DKK',
        bban: String(66_950_000_000_000 + at),
        supportsPayments: true,
        supportsTransfers: true,
        openingBalance: { value: '1000.00', currency: 'DKK' },
      },
    });
  const held: object[] = [];
  for (let at = 1; at <= transactions; at++) {
    const accountId = ids[at % accounts]!;
    const transaction = {
      accountId,
      reference: `practice-${at}`,
      amount: { value: at % 2 === 0 ? '0.50' : '-0.50', currency: 'DKK' },
      transactionTime: new Date(START + at * 10).toISOString(),
    };
    if (at % 10 === 0) {
      await write({ authorize: { ...transaction, title: 'Kiosken', type: 'card' } });
      held.push({ settle: { accountId, reference: transaction.reference } });
    } else {
      const postingTime = transaction.transactionTime;
      await write({
        post: { ...transaction, postingTime, title: 'Practice', type: 'domesticCreditTransfer' },
      });
    }
    if (held.length > 2) await write(held.shift()!);
  }
  for (const line of held) await write(line);
  output.end();
  await once(output, 'close');
}
