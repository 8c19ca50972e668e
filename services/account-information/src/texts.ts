import { defineTexts } from '@kontoport/errors';

/** What is said of accounts, their transactions and the postings on them. */
export const TEXTS = defineTexts({
  'account-unknown': 'There is no such account for this client.',
  'transaction-unknown': 'There is no such transaction on an account of this client.',
  'attachment-unknown': 'There is no such attachment to a transaction of this client.',
  'downloads-busy':
    'Too many attachments are being downloaded at the moment; repeat the request when one has ended.',
  'title-payment-slip': {
    en: 'Payment slip',
    da: 'Indbetalingskort',
    sv: 'Inbetalningskort',
    nb: 'Innbetalingskort',
  },
  'title-transfer': {
    en: 'Transfer',
    da: 'Overførsel',
    sv: 'Överföring',
    nb: 'Overføring',
  },
  'title-card': {
    en: 'Card payment',
    da: 'Kortbetaling',
    sv: 'Kortbetalning',
    nb: 'Kortbetaling',
  },
  'title-direct-debit': {
    en: 'Direct debit',
    da: 'Automatisk betaling',
    sv: 'Autogiro',
    nb: 'Avtalegiro',
  },
  'title-unknown': {
    en: 'Transaction',
    da: 'Transaktion',
    sv: 'Transaktion',
    nb: 'Transaksjon',
  },
  'copies-busy': 'Test data is being made for other clients at the moment; repeat the request in a moment.',
  'cursor-invalid':
    'The cursor was altered, or account, from, to or limit differ from the request that gave it; start without cursor.',
  'limit-range': 'must be a whole number from {least} to {most}',
  'instant-invalid':
    'must be an ISO 8601 date or date-time such as 2026-01-31 or 2026-01-31T08:00:00Z (in a URL the plus sign of a zone is %2B)',
  'from-after-to': 'must not be later than `to`',
  'ledger-busy': 'The ledger has too much to do at the moment; repeat the request in a moment.',
  'ingest-number': 'The number of an entry must be more than zero and than that of the entry before.',
  'ingest-empty': 'must name what is to be done: one of {values}',
  'ingest-idle':
    'Nothing came and nothing was read for a while; begin a new stream after the last entry that was answered.',
  'ingest-closing': 'This replica stops; begin a new stream after the last entry that was answered.',
  'ingest-streams': 'At most {most} streams are served at a time; end one before you begin another.',
  'no-account': 'There is no such account.',
  'no-transaction': 'The account has no such transaction.',
  'illegal-transition': '{command} is not possible: the transaction is {state}.',
  'posting-differs': 'The transaction id was used for another transaction.',
  'other-currency': 'The amount is not in the currency of the account.',
  'not-duration':
    'must be an ISO 8601 duration in whole numbers such as P3D or PT36H, or a whole number of seconds',
  'too-long-wait': 'must be at most {days} days, without months',
  'sandbox-at-once':
    'At most {most} requests that change simulated accounts are worked on for a client at a time.',
  'sandbox-enough-today': 'A client makes at most {most} changes to its simulated accounts a day (UTC).',
  'sandbox-enough':
    'A client makes at most {most} changes to its simulated accounts; a new client has new ones.',
  'sandbox-waiting':
    'At most {most} simulated transactions of a client are pending; settle some or let them fail first.',
  'sandbox-too-far': 'The clock can be at most {days} days ahead.',
  'field-fault': '{field} {fault}.',
  'must-be': 'must be {value}',
  'no-funds': 'The available amount does not cover the debit.',
  'body-or-query': 'The question stands in the body or in the query, not in both.',
  'not-positive': 'must be more than zero',
  'consent-unknown': 'There is no such consent.',
  'consent-id-taken': 'The consent id was used for another consent.',
  'consent-end': 'The consent must end in the future, at most {most} days ahead.',
  'too-long': 'must have at most {most} characters',
  'not-storable': 'must not hold NUL or lone surrogates',
  'one-of': 'must be one of {values}',
  'not-bic': 'must be a BIC',
  'with-scheme': 'must stand together with the scheme',
  zero: 'must not be zero',
  'not-time': 'must be a time',
  'too-early': 'must not be before 1970',
  'after-clock': "must not be more than a day after what the client's clock shows",
  'too-late': 'must not be after 9999',
  empty: 'must not be empty',
  'not-bban': 'must have 11 to 14 digits or capital letters',
  'too-many-entries': 'must have at most {most} entries',
  'transfer-only': 'is of a domesticCreditTransfer only',
});
