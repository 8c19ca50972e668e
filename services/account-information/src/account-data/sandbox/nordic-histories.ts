import type { Party } from '../../transactions/transaction.model.ts';
import { swedish } from './account-number.ts';
import type { AccountHistory } from './history.ts';
import { OWN_NUMBERS } from './own-numbers.ts';
import { bban, card, transfer } from './parties.ts';

const elsa: Party = { name: 'Elsa Bergström', account: bban(OWN_NUMBERS['elsa-main']), bic: 'KOPOSE20' };

/** A private Swedish account: giro payments carry their references in additionalInformation, not in the title. */
export const elsaMain: AccountHistory = {
  posted: [
    {
      key: 'salary',
      title: 'Norrlands Skogsvård AB',
      type: 'domesticCreditTransfer',
      amounts: [2_874_500n],
      original: null,
      details: transfer({ name: 'Norrlands Skogsvård AB' }, elsa, 'Lön'),
      rhythm: [24, 30, 10, '4:00'],
    },
    {
      key: 'bank-giro',
      title: 'Mälarvatten',
      type: 'unknown',
      amounts: [-41_200n, -38_750n],
      details: {
        message: 'Vattenavgift',
        debtor: elsa,
        creditor: { name: 'Mälarvatten' },
        additionalInformation: { bgNumber: '5050-1055', ocr: '4471020034' },
      },
      rhythm: [24, 30, 14, '8:00'],
    },
    {
      key: 'plus-giro',
      title: 'Föreningen Stigen',
      type: 'unknown',
      amounts: [-25_000n],
      details: {
        debtor: elsa,
        creditor: { name: 'Föreningen Stigen' },
        additionalInformation: { pgNumber: '4025906-1' },
      },
      rhythm: [12, 60, 33, '8:10'],
    },
    {
      key: 'e-invoice',
      title: 'Bredbandsbolaget Fjäll',
      type: 'direct-debit',
      amounts: [-34_900n],
      original: null,
      details: {
        creditor: { name: 'Bredbandsbolaget Fjäll' },
        additionalInformation: { giroNumber: '50501055', bgIssuer: '1234567', ocr: '88104427' },
      },
      rhythm: [24, 30, 19, '3:45'],
    },
    {
      key: 'mobile-payment',
      title: 'Oskar Nyström',
      type: 'unknown',
      amounts: [-12_000n, 8_500n],
      details: { message: 'Biobiljetter', additionalInformation: { mobilePaymentId: '7B2E90C1A4' } },
      rhythm: [56, 13, 2, '19:30'],
    },
    {
      key: 'groceries',
      ...card('Matboden Söder', 5411, {
        cardEntryMode: 'contactless',
        merchantLocation: { city: 'Stockholm', country: 'SE' },
      }),
      amounts: [-28_640n, -51_290n],
      rhythm: [145, 5, 4, '17:05', 2],
    },
    {
      key: 'rent',
      title: 'Bostadsbolaget Eken',
      type: 'domesticCreditTransfer',
      amounts: [-1_245_000n],
      original: null,
      details: transfer(
        elsa,
        { name: 'Bostadsbolaget Eken', account: bban(swedish('9712', '330417')) },
        'Hyra',
      ),
      rhythm: [25, 30, 8, '5:00'],
    },
    {
      key: 'saving',
      title: 'Sparande',
      type: 'unknown',
      amounts: [-1_150_000n],
      original: null,
      rhythm: [24, 30, 9, '5:10'],
    },
  ],
  unposted: [
    {
      key: 'pending-groceries',
      status: 'authorization',
      title: 'Matboden Söder',
      type: 'card',
      amounts: [-19_980n],
      details: { cardTransactionInfo: { merchantName: 'Matboden Söder', cardEntryMode: 'contactless' } },
      hoursAgo: 7,
      ends: { outcome: 'settle', afterHours: 48 },
    },
  ],
};

const fjallvik: Party = {
  name: 'Fjällvik Handel AB',
  account: bban(OWN_NUMBERS['fjallvik-business']),
  bic: 'KOPOSE20',
};

/** A Swedish company. */
export const fjallvikBusiness: AccountHistory = {
  posted: [
    {
      key: 'customers',
      title: 'Bankgiro inbetalning',
      type: 'unknown',
      amounts: [1_875_000n, 940_050n, 2_310_000n],
      original: null,
      details: { creditor: fjallvik, additionalInformation: { bgNumber: '5402-9681', ocr: '200418770' } },
      rhythm: [91, 8, 3, '11:00'],
    },
    {
      key: 'supplier',
      title: 'Textilverket i Borås AB',
      type: 'domesticCreditTransfer',
      amounts: [-1_640_000n],
      details: {
        domesticCreditTransferInfo: { recipientBBAN: swedish('9712', '118203').bban },
        message: 'Faktura 5512\nFaktura 5519',
        debtor: fjallvik,
        creditor: {
          name: 'Textilverket i Borås AB',
          account: { scheme: 'IBAN', identification: swedish('9712', '118203').iban },
          bic: 'KOPOSE20',
        },
      },
      rhythm: [49, 15, 5, '13:20'],
    },
    {
      key: 'wages',
      title: 'Löner',
      type: 'domesticCreditTransfer',
      amounts: [-2_650_000n],
      original: null,
      details: transfer(fjallvik, { name: 'Maja Åkesson', account: bban(swedish('9712', '552068')) }, 'Lön'),
      rhythm: [25, 30, 6, '4:00'],
    },
  ],
  unposted: [],
};

/** An account shared by several people, on which little happens. */
export const jointMain: AccountHistory = {
  posted: [
    {
      key: 'share',
      title: 'Ingrid Solberg',
      type: 'domesticCreditTransfer',
      amounts: [600_000n],
      original: null,
      details: {
        domesticCreditTransferInfo: { recipientBBAN: OWN_NUMBERS['joint-main'].bban },
        debtor: { name: 'Ingrid Solberg' },
      },
      rhythm: [25, 30, 6, '7:00'],
    },
    {
      key: 'cabin',
      title: 'Fjellhytta',
      type: 'card',
      amounts: [-420_000n],
      details: {
        cardTransactionInfo: {
          merchantName: 'Fjellhytta',
          merchantLocation: { city: 'Geilo', country: 'NO' },
        },
      },
      rhythm: [15, 50, 21, '14:00', 2],
    },
    {
      key: 'power',
      title: 'Fjordkraft Nord',
      type: 'direct-debit',
      amounts: [-245_000n],
      original: null,
      details: { message: 'Strøm', creditor: { name: 'Fjordkraft Nord' } },
      rhythm: [24, 30, 12, '3:40'],
    },
  ],
  unposted: [],
};
