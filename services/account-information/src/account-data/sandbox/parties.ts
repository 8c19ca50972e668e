import type { CardTransactionInfo, Party, TransactionDetails } from '../../transactions/transaction.model.ts';
import type { AccountNumber } from './account-number.ts';
import type { Occasion } from './history.ts';
import { OWN_NUMBERS } from './own-numbers.ts';

/** The account of a party by its national number. */
export const bban = (number: AccountNumber): Party['account'] => ({
  scheme: 'BBAN',
  identification: number.bban,
});

/** A card payment at a shop. */
export const card = (
  merchantName: string,
  merchantCategoryCode: number,
  more: CardTransactionInfo,
): Pick<Occasion, 'title' | 'type' | 'details'> => ({
  title: merchantName,
  type: 'card',
  details: { cardTransactionInfo: { merchantName, merchantCategoryCode, ...more } },
});
export const copenhagen = { merchantLocation: { city: 'København', country: 'DK' } };

export const freja: Party = {
  name: 'Freja Lindholm',
  account: bban(OWN_NUMBERS['freja-main']),
  bic: 'KOPODK20',
};

/** The details of a transfer whose text is the same for both sides. */
export const transfer = (debtor: Party, creditor: Party, message?: string): TransactionDetails => ({
  domesticCreditTransferInfo: {
    recipientBBAN: creditor.account!.identification,
    ...(message !== undefined && { message }),
  },
  ...(message !== undefined && { message }),
  debtor,
  creditor,
});
