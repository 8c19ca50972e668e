import type { AccountNumber } from './account-number.ts';
import type { AccountHistory } from './history.ts';
import { bban } from './parties.ts';

/** The holder's second account, in another currency: one incoming payment and one outgoing bill. */
export function secondAccount(
  holder: string,
  number: AccountNumber,
  [payer, received]: [name: string, amount: bigint],
  [biller, billed]: [name: string, amount: bigint],
): AccountHistory {
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
        rhythm: [24, 30, 9, '5:40'],
      },
      {
        key: 'bill',
        title: biller,
        type: 'direct-debit',
        amounts: [-billed],
        original: null,
        rhythm: [8, 90, 13, '3:30'],
      },
    ],
    unposted: [],
  };
}
