import type { CardTransactionInfo, Party } from '../../transactions/transaction.model.ts';
import { danish } from './account-number.ts';

/** A Danish account of a party. */
export const bban = (registration: string, account: string): Party['account'] => ({
  scheme: 'BBAN',
  identification: danish(registration, account).bban,
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

export const freja: Party = { name: 'Freja Lindholm', account: bban('6695', '0001234567'), bic: 'KOPODK22' };
