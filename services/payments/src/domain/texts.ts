import { defineTexts } from '@kontoport/errors';

/** Every sentence of the service for a TPP (§7, §2.10). A sentence without full stop follows the path that it judges. */
export const TEXTS = defineTexts({
  // Form of a body
  'not-decimal': 'is not a decimal string such as "125.50"',
  'not-currency': 'is not three capital letters (ISO 4217)',
  'not-url': 'is not a URL',
  'draft-twice': 'names a draft more than once',

  // Validity of a draft
  missing: 'is missing',
  'not-valid': 'is not valid',
  'not-positive': 'is not positive',
  'too-many-decimals': '{currency} has {decimals} decimals, not {given}',
  'too-many-digits': 'more than {most} digits',
  'transfer-currency': 'a domestic credit transfer is made in DKK, NOK or SEK',
  'account-not-open': 'is not an account that you may use',
  'account-without-payments': 'the account does not support payments',
  'account-without-transfers': 'the account does not support credit transfers',
  'sender-is-receiver': 'is the account that pays',
  'account-in-other-currency': 'the account is kept in {kept}, not in {wanted}',

  // Account numbers
  'number-characters': 'account number: has other characters than digits',
  'number-is-iban': 'account number: is an IBAN; the domestic account number is needed',
  'number-is-iban-of': 'account number: is an IBAN; its domestic account number is {bban}',
  'danish-length':
    'account number: has {count} digits, not 14 (4 of the registration number, 10 of the account with leading zeros)',
  'norwegian-length': 'account number: has {count} digits, not 11',
  'swedish-length': 'account number: has {count} digits after the clearing number {clearing}, not {length}',
  'swedish-lengths':
    'account number: has {count} digits after the clearing number {clearing}, not {least} to {most}; write it with leading zeros',
  'no-bank': 'registration number: 0000 is no bank',
  'only-zeros': 'account number: consists of zeros',
  'clearing-zero': 'clearing number: begins with 0',
  'clearing-unknown': {
    en: 'clearing number: no rule is known for {clearing}; the account number was not checked',
    da: 'clearingnummer: der kendes ingen regel for {clearing}; kontonummeret er ikke kontrolleret',
    sv: 'clearingnummer: ingen regel är känd för {clearing}; kontonumret har inte kontrollerats',
    nb: 'clearingnummer: ingen regel er kjent for {clearing}; kontonummeret er ikke kontrollert',
  },
  'clearing-check-digit': 'clearing number: its fifth digit does not fit the other four (modulus 10)',
  'clearing-fifth-digit': {
    en: 'clearing number: its fifth digit, {digit}, is a check digit and not part of the account number; the payment goes to {bban}',
    da: 'clearingnummer: det femte ciffer, {digit}, er et kontrolciffer og ikke en del af kontonummeret; betalingen går til {bban}',
    sv: 'clearingnummer: den femte siffran, {digit}, är en kontrollsiffra och ingår inte i kontonumret; betalningen går till {bban}',
    nb: 'clearingnummer: det femte sifferet, {digit}, er et kontrollsiffer og ikke en del av kontonummeret; betalingen går til {bban}',
  },
  'clearing-four-digits': {
    en: 'clearing number: was read as {clearing}, and the account number as {account}; if {digit} is the fifth digit of the clearing number, write all 15 digits',
    da: 'clearingnummer: er læst som {clearing} og kontonummeret som {account}; skriv alle 15 cifre, hvis {digit} er det femte ciffer i clearingnummeret',
    sv: 'clearingnummer: har lästs som {clearing} och kontonumret som {account}; skriv alla 15 siffror om {digit} är den femte siffran i clearingnumret',
    nb: 'clearingnummer: er lest som {clearing} og kontonummeret som {account}; skriv alle 15 sifre hvis {digit} er det femte sifferet i clearingnummeret',
  },
  'two-accounts':
    'account number: can be read as {first} or {second}; write the one that is meant, with all 15 digits',
  'check-digit': 'check digit: the last digit does not fit the others (modulus {modulus})',
  'check-digit-unreliable': {
    en: 'check digit: the last digit does not fit the others (modulus {modulus}); the bank also has such accounts',
    da: 'kontrolciffer: det sidste ciffer passer ikke til de øvrige (modulus {modulus}); banken har også sådanne konti',
    sv: 'kontrollsiffra: den sista siffran stämmer inte med de övriga (modulus {modulus}); banken har även sådana konton',
    nb: 'kontrollsiffer: det siste sifferet stemmer ikke med de øvrige (modulus {modulus}); banken har også slike kontoer',
  },

  // Swedish giros
  'giro-currency': 'a Swedish giro payment is made in SEK',
  'giro-characters': 'giro number: has other characters than digits',
  'giro-length': 'giro number: has {count} digits, not {least} to {most}',
  'giro-zeros': 'giro number: consists of zeros',
  'ocr-characters': 'OCR: has other characters than digits',
  'ocr-length': 'OCR: has {count} digits, not {least} to {most}',
  'ocr-length-digit': {
    en: 'length digit: the last digit but one is not {expected}, which it is where the receiver uses a length digit ({count} digits); whether it does is not known',
    da: 'længdeciffer: det næstsidste ciffer er ikke {expected}, som det er, hvor modtageren bruger længdeciffer ({count} cifre); om den gør det, vides ikke',
    sv: 'längdsiffra: den näst sista siffran är inte {expected}, som den är där mottagaren använder längdsiffra ({count} siffror); om den gör det är inte känt',
    nb: 'lengdesiffer: det nest siste sifferet er ikke {expected}, slik det er der mottakeren bruker lengdesiffer ({count} sifre); om den gjør det, er ikke kjent',
  },

  // Drafts
  'no-draft': 'There is no such draft.',
  'no-payment': 'The draft has no payment.',
  'draft-id-taken': 'You have a draft with this draftId already.',
  'draft-status': 'The draft is {status}; that does not allow this.',
  'bank-unclear': 'The bank does not say how the payment stands; repeat the request later.',
  rejected: 'The bank did not carry out the payment.',
  'rejected-without-funds': 'The available amount of the account does not cover {amount} {currency}.',
  'rejected-without-account': 'The account that pays is not there any more.',
  'rejected-by-user': 'The user did not approve the payment.',
  'rejected-unauthenticated': 'The bank could not authenticate the user for the payment.',
  'client-full':
    'The sandbox keeps as many drafts and baskets of this client as it may; they lapse 24 hours after their last change.',
  'client-open-full':
    'This client has as many drafts, and approvals that no user has given, as it may; delete some, or wait until they lapse.',
  'organization-open-full':
    'The clients of your organization together have as many drafts, and approvals that no user has given, as they may; delete some, or wait until they lapse.',
  'organization-full':
    'The clients of your organization together keep as many drafts and baskets in the sandbox as they may; these lapse 24 hours after their last change.',

  // Standing orders
  'no-standing-order': 'There is no such standing order.',
  'standing-orders-full':
    'There are as many live standing orders of this client, or of its organization, as there may be; delete one first.',

  // Signing baskets
  'no-basket': 'There is no such basket.',
  'no-approval': 'There is no such approval.',
  'approval-differs': 'What is to be approved is not what was shown; show it again.',
  'request-id-used': 'This requestId was used before with other draftIds or another redirectUrl.',
  'redirect-unregistered':
    'is not one of the registered redirect URIs (scheme, host, port and path must be the same)',
  'redirect-refused': '`redirectUrl` {fault}.',
  'nothing-approved': 'Nothing was approved: not every draft can be; see `details`.',
  'draft-unknown': 'is unknown',
  'draft-not-created': 'is {status}, not CREATED',
  'draft-invalid': 'is not valid: {path} {fault}',
  'other-user': 'pays from an account of another user than {first}',
});
