import type { CardTransactionInfo, Party } from '../../transactions/transaction.model.ts';
import type { AccountNumber } from './account-number.ts';
import { OWN_NUMBERS } from './own-numbers.ts';

/** The account of a party by its national number. */
export const bban = (number: AccountNumber): Party['account'] => ({
  scheme: 'BBAN',
  identification: number.bban,
});

/** A card payment at a shop. */
export const shop = (
  merchantName: string,
  merchantCategoryCode: number,
  more: CardTransactionInfo,
): { cardTransactionInfo: CardTransactionInfo } => ({
  cardTransactionInfo: { merchantName, merchantCategoryCode, ...more },
});
export const copenhagen = { merchantLocation: { city: 'København', country: 'DK' } };

export const freja: Party = { name: 'Freja Lindholm', account: bban(OWN_NUMBERS.frejaMain), bic: 'KOPODK20' };
