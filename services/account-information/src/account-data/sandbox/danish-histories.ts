import type { Party } from '../../transactions/transaction.model.ts';
import { danish } from './account-number.ts';
import { type AccountHistory, NO_HISTORY } from './history.ts';
import { OWN_NUMBERS } from './own-numbers.ts';
import { bban, card, freja, transfer } from './parties.ts';

/** An account for the household's bills, without card. */
export const frejaBudget: AccountHistory = {
  posted: [
    {
      key: 'top-up',
      title: 'Freja Lindholm',
      type: 'domesticCreditTransfer',
      amounts: [400_000n],
      details: {
        domesticCreditTransferInfo: { recipientBBAN: OWN_NUMBERS['freja-budget'].bban },
        debtor: freja,
        creditor: { name: 'Freja Lindholm' },
      },
      rhythm: [25, 30, 7, '6:00'],
    },
    {
      key: 'insurance',
      title: 'Tryghavn Forsikring',
      type: 'direct-debit',
      amounts: [-189_500n],
      original: null,
      details: { message: 'Police 88-1204' },
      rhythm: [8, 90, 17, '3:30'],
    },
    {
      key: 'heating',
      title: 'Havnens Fjernvarme',
      type: 'direct-debit',
      amounts: [-265_000n],
      original: null,
      details: { message: 'Aconto varme' },
      rhythm: [24, 30, 19, '3:30'],
    },
  ],
  unposted: [],
};

/** Never visible: savings are not exposed. */
export const frejaSavings: AccountHistory = {
  posted: [
    {
      key: 'deposit',
      title: 'Opsparing',
      type: 'domesticCreditTransfer',
      amounts: [600_000n],
      original: null,
      rhythm: [24, 30, 10, '6:05'],
    },
  ],
  unposted: [
    {
      key: 'pending-deposit',
      status: 'authorization',
      title: 'Opsparing',
      type: 'unknown',
      amounts: [-5_000n],
      hoursAgo: 4,
    },
  ],
};

const nordlys: Party = {
  name: 'Nordlys Møbler ApS',
  account: bban(OWN_NUMBERS['nordlys-business']),
  bic: 'KOPODK20',
};

/** A company: customers pay, suppliers and wages are paid. */
export const nordlysBusiness: AccountHistory = {
  posted: [
    {
      key: 'customer',
      title: 'Hotel Fjorden',
      type: 'domesticCreditTransfer',
      amounts: [4_875_000n, 1_240_000n, 2_990_050n],
      original: null,
      details: {
        domesticCreditTransferInfo: { recipientBBAN: nordlys.account!.identification },
        message: 'Faktura 20418\n12 stole, 3 borde',
        debtor: {
          name: 'Hotel Fjorden',
          account: { scheme: 'IBAN', identification: danish('5301', '0000330018').iban },
          bic: 'NORDDK20',
        },
        creditor: nordlys,
      },
      rhythm: [61, 12, 4, '10:25'],
    },
    {
      key: 'supplier',
      title: 'Savværket Skov & Søn',
      type: 'domesticCreditTransfer',
      amounts: [-2_115_000n, -1_980_025n],
      details: transfer(
        nordlys,
        { name: 'Savværket Skov & Søn', account: bban(danish('5301', '0000220011')) },
        'Ordre 771',
      ),
      rhythm: [41, 18, 6, '12:00'],
    },
    {
      key: 'tax',
      title: 'Afgifter',
      type: 'dkPaymentSlip',
      amounts: [-6_420_000n],
      details: { creditor: { account: { scheme: 'ACCOUNT_NUMBER', identification: '82345678' } } },
      rhythm: [8, 90, 28, '9:30'],
    },
    {
      key: 'wages',
      title: 'Løn',
      type: 'domesticCreditTransfer',
      amounts: [-1_850_000n],
      original: null,
      details: transfer(
        nordlys,
        { name: 'Jonas Vestergård', account: bban(danish('5301', '0000640013')) },
        'Løn',
      ),
      rhythm: [25, 30, 5, '4:00'],
    },
  ],
  unposted: [
    {
      key: 'pending-tools',
      status: 'authorization',
      ...card('Værktøjsgården', 5072, {
        cardEntryMode: 'chip',
        merchantLocation: { city: 'Odense', country: 'DK' },
      }),
      amounts: [-314_900n],
      hoursAgo: 20,
    },
  ],
};

/** Expenses exceed the income: it ends overdrawn, without a credit limit. */
export const overdrawnMain: AccountHistory = {
  posted: [
    {
      key: 'salary',
      title: 'Lagerhotel Amager',
      type: 'domesticCreditTransfer',
      amounts: [2_250_000n],
      original: null,
      details: { message: 'Løn', debtor: { name: 'Lagerhotel Amager' }, creditor: { name: 'Viggo Storm' } },
      rhythm: [24, 30, 9, '4:05'],
    },
    {
      key: 'rent',
      title: 'Boligselskabet Havet',
      type: 'direct-debit',
      amounts: [-1_150_000n],
      original: null,
      details: { message: 'Husleje' },
      rhythm: [24, 30, 8, '5:00'],
    },
    {
      key: 'loan',
      title: 'Lånebanken',
      type: 'direct-debit',
      amounts: [-650_000n],
      original: null,
      details: { message: 'Afdrag og renter' },
      rhythm: [24, 30, 7, '3:30'],
    },
    {
      key: 'gambling',
      ...card('Kasino Online', 7995, { cardEntryMode: 'merchantInitiated' }),
      amounts: [-190_000n, -280_000n],
      rhythm: [48, 15, 2, '23:40', 1],
    },
  ],
  unposted: [],
};

/** One of a company's many accounts: its tenant pays the rent. */
export const estateRent = (key: keyof typeof OWN_NUMBERS, index: number): AccountHistory => ({
  posted: [
    {
      key: 'rent',
      title: `Lejer ${index + 1}`,
      type: 'domesticCreditTransfer',
      amounts: [875_000n + BigInt(index) * 25_000n],
      original: null,
      details: {
        domesticCreditTransferInfo: { recipientBBAN: OWN_NUMBERS[key].bban },
        message: 'Husleje',
        debtor: { name: `Lejer ${index + 1}` },
        creditor: { name: 'Ejendomme Holm ApS', account: bban(OWN_NUMBERS[key]) },
      },
      rhythm: [24, 30, 9, '5:15'],
    },
  ],
  unposted: [],
});

/** A kiosk's till: 12,000 transactions, for paging. */
export const heavyMain: AccountHistory = {
  ...NO_HISTORY,
  bulk: {
    key: 'sale',
    title: 'Kortsalg',
    type: 'card',
    amounts: [4_500n, 12_950n, 2_800n, -19_750n],
    rhythm: [12_000, 0.06, 1, '6:00'],
  },
};
