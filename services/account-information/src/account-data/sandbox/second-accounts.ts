import type { AccountNumber } from './account-number.ts';
import type { AccountHistory } from './history.ts';
import { bban } from './parties.ts';

/** An account that its holder has beside the main one, in another currency: money comes in, and one bill goes out. */
export function secondAccount(options: {
  holder: string;
  number: AccountNumber;
  payer: string;
  received: bigint;
  biller: string;
  billed: bigint;
}): AccountHistory {
  const { holder, number, payer, received, biller, billed } = options;
  return {
    posted: [
      {
        key: 'incoming',
        title: payer,
        type: 'domesticCreditTransfer',
        amounts: [received],
        original: null,
        details: {
          domesticCreditTransferInfo: { recipientBBAN: number.bban },
          debtor: { name: payer },
          creditor: { name: holder, account: bban(number) },
        },
        lastDay: 9,
        everyDays: 30,
        times: 24,
        at: '5:40',
      },
      {
        key: 'bill',
        title: biller,
        type: 'direct-debit',
        amounts: [-billed],
        original: null,
        lastDay: 13,
        everyDays: 90,
        times: 8,
        at: '3:30',
      },
    ],
    unposted: [],
  };
}
