import { defineTexts } from '@kontoport/errors';

/** Every sentence of the service for a TPP (§7, §2.10). A sentence without full stop follows the path that it judges. */
export const TEXTS = defineTexts({
  // Form of a body
  'not-decimal': {
    en: 'is not a decimal string such as "125.50"',
    da: 'er ikke et decimaltal som "125.50"',
    sv: 'är inte ett decimaltal som "125.50"',
    nb: 'er ikke et desimaltall som "125.50"',
  },
  'not-currency': {
    en: 'is not three capital letters (ISO 4217)',
    da: 'er ikke tre store bogstaver (ISO 4217)',
    sv: 'är inte tre versaler (ISO 4217)',
    nb: 'er ikke tre store bokstaver (ISO 4217)',
  },
  'not-url': { en: 'is not a URL', da: 'er ikke en URL', sv: 'är inte en URL', nb: 'er ikke en URL' },
  'draft-twice': {
    en: 'names a draft more than once',
    da: 'nævner et udkast mere end én gang',
    sv: 'anger ett utkast mer än en gång',
    nb: 'nevner et utkast mer enn én gang',
  },

  // What makes a draft valid
  missing: { en: 'is missing', da: 'mangler', sv: 'saknas', nb: 'mangler' },
  'not-valid': { en: 'is not valid', da: 'er ikke gyldigt', sv: 'är inte giltigt', nb: 'er ikke gyldig' },
  'not-positive': {
    en: 'is not positive',
    da: 'skal være større end nul',
    sv: 'måste vara större än noll',
    nb: 'må være større enn null',
  },
  'too-many-decimals': {
    en: '{currency} has {decimals} decimals, not {given}',
    da: '{currency} har {decimals} decimaler, ikke {given}',
    sv: '{currency} har {decimals} decimaler, inte {given}',
    nb: '{currency} har {decimals} desimaler, ikke {given}',
  },
  'too-many-digits': {
    en: 'more than {most} digits',
    da: 'flere end {most} cifre',
    sv: 'fler än {most} siffror',
    nb: 'flere enn {most} sifre',
  },
  'transfer-currency': {
    en: 'a domestic credit transfer is made in DKK, NOK or SEK',
    da: 'en indenlandsk overførsel foretages i DKK, NOK eller SEK',
    sv: 'en inrikes överföring görs i DKK, NOK eller SEK',
    nb: 'en innenlandsk overføring gjøres i DKK, NOK eller SEK',
  },
  'account-not-open': {
    en: 'is not an account that you may use',
    da: 'er ikke en konto, som du må bruge',
    sv: 'är inte ett konto som du får använda',
    nb: 'er ikke en konto som du har lov til å bruke',
  },
  'account-without-payments': {
    en: 'the account does not support payments',
    da: 'kontoen kan ikke bruges til betalinger',
    sv: 'kontot kan inte användas för betalningar',
    nb: 'kontoen kan ikke brukes til betalinger',
  },
  'account-without-transfers': {
    en: 'the account does not support credit transfers',
    da: 'kontoen kan ikke bruges til overførsler',
    sv: 'kontot kan inte användas för överföringar',
    nb: 'kontoen kan ikke brukes til overføringer',
  },
  'sender-is-receiver': {
    en: 'is the account that pays',
    da: 'er den konto, der betaler',
    sv: 'är kontot som betalar',
    nb: 'er kontoen som betaler',
  },
  'account-in-other-currency': {
    en: 'the account is kept in {kept}, not in {wanted}',
    da: 'kontoen føres i {kept}, ikke i {wanted}',
    sv: 'kontot förs i {kept}, inte i {wanted}',
    nb: 'kontoen føres i {kept}, ikke i {wanted}',
  },

  // Account numbers
  'number-characters': {
    en: 'account number: has other characters than digits',
    da: 'kontonummer: indeholder andre tegn end cifre',
    sv: 'kontonummer: innehåller andra tecken än siffror',
    nb: 'kontonummer: inneholder andre tegn enn sifre',
  },
  'number-is-iban': {
    en: 'account number: is an IBAN; the domestic account number is needed',
    da: 'kontonummer: er et IBAN; det indenlandske kontonummer skal bruges',
    sv: 'kontonummer: är ett IBAN; det inhemska kontonumret behövs',
    nb: 'kontonummer: er et IBAN; det innenlandske kontonummeret må brukes',
  },
  'number-is-iban-of': {
    en: 'account number: is an IBAN; its domestic account number is {bban}',
    da: 'kontonummer: er et IBAN; dets indenlandske kontonummer er {bban}',
    sv: 'kontonummer: är ett IBAN; dess inhemska kontonummer är {bban}',
    nb: 'kontonummer: er et IBAN; det innenlandske kontonummeret er {bban}',
  },
  'danish-length': {
    en: 'account number: has {count} digits, not 14 (4 of the registration number, 10 of the account with leading zeros)',
    da: 'kontonummer: har {count} cifre, ikke 14 (4 i registreringsnummeret, 10 i kontonummeret med foranstillede nuller)',
    sv: 'kontonummer: har {count} siffror, inte 14 (4 i registreringsnumret, 10 i kontonumret med inledande nollor)',
    nb: 'kontonummer: har {count} sifre, ikke 14 (4 i registreringsnummeret, 10 i kontonummeret med innledende nuller)',
  },
  'norwegian-length': {
    en: 'account number: has {count} digits, not 11',
    da: 'kontonummer: har {count} cifre, ikke 11',
    sv: 'kontonummer: har {count} siffror, inte 11',
    nb: 'kontonummer: har {count} sifre, ikke 11',
  },
  'swedish-length': {
    en: 'account number: has {count} digits after the clearing number {clearing}, not {length}',
    da: 'kontonummer: har {count} cifre efter clearingnummeret {clearing}, ikke {length}',
    sv: 'kontonummer: har {count} siffror efter clearingnumret {clearing}, inte {length}',
    nb: 'kontonummer: har {count} sifre etter clearingnummeret {clearing}, ikke {length}',
  },
  'swedish-lengths': {
    en: 'account number: has {count} digits after the clearing number {clearing}, not {least} to {most}; write it with leading zeros',
    da: 'kontonummer: har {count} cifre efter clearingnummeret {clearing}, ikke {least} til {most}; skriv det med foranstillede nuller',
    sv: 'kontonummer: har {count} siffror efter clearingnumret {clearing}, inte {least} till {most}; skriv det med inledande nollor',
    nb: 'kontonummer: har {count} sifre etter clearingnummeret {clearing}, ikke {least} til {most}; skriv det med innledende nuller',
  },
  'no-bank': {
    en: 'registration number: 0000 is no bank',
    da: 'registreringsnummer: 0000 er ingen bank',
    sv: 'registreringsnummer: 0000 är ingen bank',
    nb: 'registreringsnummer: 0000 er ingen bank',
  },
  'only-zeros': {
    en: 'account number: consists of zeros',
    da: 'kontonummer: består af nuller',
    sv: 'kontonummer: består av nollor',
    nb: 'kontonummer: består av nuller',
  },
  'clearing-zero': {
    en: 'clearing number: begins with 0',
    da: 'clearingnummer: begynder med 0',
    sv: 'clearingnummer: börjar med 0',
    nb: 'clearingnummer: begynner med 0',
  },
  'clearing-unknown': {
    en: 'clearing number: no rule is known for {clearing}; the account number was not checked',
    da: 'clearingnummer: der kendes ingen regel for {clearing}; kontonummeret er ikke kontrolleret',
    sv: 'clearingnummer: ingen regel är känd för {clearing}; kontonumret har inte kontrollerats',
    nb: 'clearingnummer: ingen regel er kjent for {clearing}; kontonummeret er ikke kontrollert',
  },
  'clearing-check-digit': {
    en: 'clearing number: its fifth digit does not fit the other four (modulus 10)',
    da: 'clearingnummer: det femte ciffer passer ikke til de fire andre (modulus 10)',
    sv: 'clearingnummer: den femte siffran stämmer inte med de andra fyra (modulus 10)',
    nb: 'clearingnummer: det femte sifferet stemmer ikke med de fire andre (modulus 10)',
  },
  'clearing-fifth-digit': {
    en: 'clearing number: its fifth digit, {digit}, is a check digit and not part of the account number; the payment goes to {bban}',
    da: 'clearingnummer: det femte ciffer, {digit}, er et kontrolciffer og ikke en del af kontonummeret; betalingen går til {bban}',
    sv: 'clearingnummer: den femte siffran, {digit}, är en kontrollsiffra och ingår inte i kontonumret; betalningen går till {bban}',
    nb: 'clearingnummer: det femte sifferet, {digit}, er et kontrollsiffer og ikke en del av kontonummeret; betalingen går til {bban}',
  },
  'two-accounts': {
    en: 'account number: can be read as {first} or {second}; write the one that is meant, with all 15 digits',
    da: 'kontonummer: kan læses som {first} eller {second}; skriv det rigtige med alle 15 cifre',
    sv: 'kontonummer: kan läsas som {first} eller {second}; skriv det som avses med alla 15 siffror',
    nb: 'kontonummer: kan leses som {first} eller {second}; skriv det som er ment med alle 15 sifre',
  },
  'check-digit': {
    en: 'check digit: the last digit does not fit the others (modulus {modulus})',
    da: 'kontrolciffer: det sidste ciffer passer ikke til de øvrige (modulus {modulus})',
    sv: 'kontrollsiffra: den sista siffran stämmer inte med de övriga (modulus {modulus})',
    nb: 'kontrollsiffer: det siste sifferet stemmer ikke med de øvrige (modulus {modulus})',
  },
  'check-digit-unreliable': {
    en: 'check digit: the last digit does not fit the others (modulus {modulus}); the bank also has such accounts',
    da: 'kontrolciffer: det sidste ciffer passer ikke til de øvrige (modulus {modulus}); banken har også sådanne konti',
    sv: 'kontrollsiffra: den sista siffran stämmer inte med de övriga (modulus {modulus}); banken har även sådana konton',
    nb: 'kontrollsiffer: det siste sifferet stemmer ikke med de øvrige (modulus {modulus}); banken har også slike kontoer',
  },

  // Swedish giros
  'giro-currency': {
    en: 'a Swedish giro payment is made in SEK',
    da: 'en svensk girobetaling foretages i SEK',
    sv: 'en svensk girobetalning görs i SEK',
    nb: 'en svensk girobetaling gjøres i SEK',
  },
  'giro-characters': {
    en: 'giro number: has other characters than digits',
    da: 'gironummer: indeholder andre tegn end cifre',
    sv: 'gironummer: innehåller andra tecken än siffror',
    nb: 'gironummer: inneholder andre tegn enn sifre',
  },
  'giro-length': {
    en: 'giro number: has {count} digits, not {least} to {most}',
    da: 'gironummer: har {count} cifre, ikke {least} til {most}',
    sv: 'gironummer: har {count} siffror, inte {least} till {most}',
    nb: 'gironummer: har {count} sifre, ikke {least} til {most}',
  },
  'giro-zeros': {
    en: 'giro number: consists of zeros',
    da: 'gironummer: består af nuller',
    sv: 'gironummer: består av nollor',
    nb: 'gironummer: består av nuller',
  },
  'ocr-characters': {
    en: 'OCR: has other characters than digits',
    da: 'OCR: indeholder andre tegn end cifre',
    sv: 'OCR: innehåller andra tecken än siffror',
    nb: 'OCR: inneholder andre tegn enn sifre',
  },
  'ocr-length': {
    en: 'OCR: has {count} digits, not {least} to {most}',
    da: 'OCR: har {count} cifre, ikke {least} til {most}',
    sv: 'OCR: har {count} siffror, inte {least} till {most}',
    nb: 'OCR: har {count} sifre, ikke {least} til {most}',
  },
  'ocr-length-digit': {
    en: 'length digit: the last digit but one is not {expected}, which it is where the receiver uses a length digit ({count} digits); whether it does is not known',
    da: 'længdeciffer: det næstsidste ciffer er ikke {expected}, som det er, hvor modtageren bruger længdeciffer ({count} cifre); om den gør det, vides ikke',
    sv: 'längdsiffra: den näst sista siffran är inte {expected}, som den är där mottagaren använder längdsiffra ({count} siffror); om den gör det är inte känt',
    nb: 'lengdesiffer: det nest siste sifferet er ikke {expected}, slik det er der mottakeren bruker lengdesiffer ({count} sifre); om den gjør det, er ikke kjent',
  },

  // Drafts
  'no-draft': {
    en: 'There is no such draft.',
    da: 'Udkastet findes ikke.',
    sv: 'Utkastet finns inte.',
    nb: 'Utkastet finnes ikke.',
  },
  'no-payment': {
    en: 'The draft has no payment.',
    da: 'Udkastet har ingen betaling.',
    sv: 'Utkastet har ingen betalning.',
    nb: 'Utkastet har ingen betaling.',
  },
  'draft-id-taken': {
    en: 'You have a draft with this draftId already.',
    da: 'Du har allerede et udkast med dette draftId.',
    sv: 'Du har redan ett utkast med detta draftId.',
    nb: 'Du har allerede et utkast med denne draftId-en.',
  },
  'draft-status': {
    en: 'The draft is {status}; that does not allow this.',
    da: 'Udkastet har status {status}; den tillader ikke dette.',
    sv: 'Utkastet har status {status}; den tillåter inte detta.',
    nb: 'Utkastet har status {status}; den tillater ikke dette.',
  },
  'bank-unclear': {
    en: 'The bank does not say how the payment stands; repeat the request later.',
    da: 'Banken oplyser ikke, hvordan betalingen står; gentag forespørgslen senere.',
    sv: 'Banken uppger inte hur det står till med betalningen; upprepa begäran senare.',
    nb: 'Banken opplyser ikke hvordan det står til med betalingen; gjenta forespørselen senere.',
  },
  rejected: {
    en: 'The bank did not carry out the payment.',
    da: 'Banken gennemførte ikke betalingen.',
    sv: 'Banken genomförde inte betalningen.',
    nb: 'Banken gjennomførte ikke betalingen.',
  },
  'rejected-without-funds': {
    en: 'The available amount of the account does not cover {amount} {currency}.',
    da: 'Kontoens disponible beløb dækker ikke {amount} {currency}.',
    sv: 'Kontots disponibla belopp täcker inte {amount} {currency}.',
    nb: 'Kontoens disponible beløp dekker ikke {amount} {currency}.',
  },
  'rejected-without-account': {
    en: 'The account that pays is not there any more.',
    da: 'Den konto, der betales fra, findes ikke længere.',
    sv: 'Kontot som betalningen görs från finns inte längre.',
    nb: 'Kontoen det betales fra, finnes ikke lenger.',
  },
  'rejected-by-user': {
    en: 'The user did not approve the payment.',
    da: 'Brugeren godkendte ikke betalingen.',
    sv: 'Användaren godkände inte betalningen.',
    nb: 'Brukeren godkjente ikke betalingen.',
  },
  'rejected-unauthenticated': {
    en: 'The bank could not authenticate the user for the payment.',
    da: 'Banken kunne ikke godkende brugerens identitet til betalingen.',
    sv: 'Banken kunde inte autentisera användaren för betalningen.',
    nb: 'Banken kunne ikke autentisere brukeren for betalingen.',
  },
  'client-full': {
    en: 'The sandbox keeps as many drafts and baskets of this client as it may; they lapse 24 hours after their last change.',
    da: 'Sandkassen rummer ikke flere udkast og kurve fra denne klient; de bortfalder 24 timer efter seneste ændring.',
    sv: 'Sandlådan rymmer inte fler utkast och korgar från den här klienten; de faller bort 24 timmar efter senaste ändringen.',
    nb: 'Sandkassen har ikke plass til flere utkast og kurver fra denne klienten; de faller bort 24 timer etter siste endring.',
  },
  'client-open-full': {
    en: 'This client has as many drafts, and approvals that no user has given, as it may; delete some, or wait until they lapse.',
    da: 'Denne klient har så mange udkast, og godkendelser som ingen bruger har givet, som den må; slet nogle, eller vent, til de bortfalder.',
    sv: 'Den här klienten har så många utkast, och godkännanden som ingen användare har gett, som den får ha; radera några, eller vänta tills de faller bort.',
    nb: 'Denne klienten har så mange utkast, og godkjenninger som ingen bruker har gitt, som den kan ha; slett noen, eller vent til de faller bort.',
  },
  'organization-open-full': {
    en: 'The clients of your organization together have as many drafts, and approvals that no user has given, as they may; delete some, or wait until they lapse.',
    da: 'Din organisations klienter har tilsammen så mange udkast, og godkendelser som ingen bruger har givet, som de må; slet nogle, eller vent, til de bortfalder.',
    sv: 'Din organisations klienter har tillsammans så många utkast, och godkännanden som ingen användare har gett, som de får ha; radera några, eller vänta tills de faller bort.',
    nb: 'Organisasjonens klienter har til sammen så mange utkast, og godkjenninger som ingen bruker har gitt, som de kan ha; slett noen, eller vent til de faller bort.',
  },
  'organization-full': {
    en: 'The clients of your organization together keep as many drafts and baskets in the sandbox as they may; these lapse 24 hours after their last change.',
    da: 'Din organisations klienter har tilsammen så mange udkast og kurve i sandkassen, som de må; de bortfalder 24 timer efter seneste ændring.',
    sv: 'Din organisations klienter har tillsammans så många utkast och korgar i sandlådan som de får ha; de faller bort 24 timmar efter senaste ändringen.',
    nb: 'Organisasjonens klienter har til sammen så mange utkast og kurver i sandkassen som de kan ha; de faller bort 24 timer etter siste endring.',
  },

  // Standing orders
  'no-standing-order': {
    en: 'There is no such standing order.',
    da: 'Den faste overførsel findes ikke.',
    sv: 'Den stående överföringen finns inte.',
    nb: 'Den faste overføringen finnes ikke.',
  },
  'standing-orders-full': {
    en: 'There are as many live standing orders of this client, or of its organization, as there may be; delete one first.',
    da: 'Denne klient eller dens organisation har så mange aktive faste overførsler, som den må; slet først en af dem.',
    sv: 'Den här klienten eller dess organisation har så många aktiva stående överföringar som den får ha; ta först bort en av dem.',
    nb: 'Denne klienten eller organisasjonen har så mange aktive faste overføringer som den kan ha; slett først en av dem.',
  },

  // Signing baskets
  'no-basket': {
    en: 'There is no such basket.',
    da: 'Kurven findes ikke.',
    sv: 'Korgen finns inte.',
    nb: 'Kurven finnes ikke.',
  },
  'no-approval': {
    en: 'There is no such approval.',
    da: 'Godkendelsen findes ikke.',
    sv: 'Godkännandet finns inte.',
    nb: 'Godkjenningen finnes ikke.',
  },
  'approval-differs': {
    en: 'What is to be approved is not what was shown; show it again.',
    da: 'Det, der skal godkendes, er ikke det, der blev vist; vis det igen.',
    sv: 'Det som ska godkännas är inte det som visades; visa det igen.',
    nb: 'Det som skal godkjennes, er ikke det som ble vist; vis det igjen.',
  },
  'request-id-used': {
    en: 'This requestId was used before with other draftIds or another redirectUrl.',
    da: 'Dette requestId er tidligere brugt med andre draftIds eller en anden redirectUrl.',
    sv: 'Detta requestId har tidigare använts med andra draftIds eller en annan redirectUrl.',
    nb: 'Denne requestId-en er tidligere brukt med andre draftIds eller en annen redirectUrl.',
  },
  'redirect-unregistered': {
    en: 'is not one of the registered redirect URIs (scheme, host, port and path must be the same)',
    da: 'er ikke en af de registrerede redirect-URI’er (skema, vært, port og sti skal være de samme)',
    sv: 'är inte en av de registrerade omdirigerings-URI:erna (schema, värd, port och sökväg måste vara desamma)',
    nb: 'er ikke en av de registrerte redirect-URI-ene (skjema, vert, port og sti må være de samme)',
  },
  'redirect-refused': {
    en: '`redirectUrl` {fault}.',
    da: '`redirectUrl` {fault}.',
    sv: '`redirectUrl` {fault}.',
    nb: '`redirectUrl` {fault}.',
  },
  'nothing-approved': {
    en: 'Nothing was approved: not every draft can be; see `details`.',
    da: 'Intet blev godkendt: ikke alle udkast kan godkendes; se `details`.',
    sv: 'Inget godkändes: inte alla utkast kan godkännas; se `details`.',
    nb: 'Ingenting ble godkjent: ikke alle utkast kan godkjennes; se `details`.',
  },
  'draft-unknown': { en: 'is unknown', da: 'er ukendt', sv: 'är okänt', nb: 'er ukjent' },
  'draft-not-created': {
    en: 'is {status}, not CREATED',
    da: 'er {status}, ikke CREATED',
    sv: 'är {status}, inte CREATED',
    nb: 'er {status}, ikke CREATED',
  },
  'draft-invalid': {
    en: 'is not valid: {path} {fault}',
    da: 'er ikke gyldigt: {path} {fault}',
    sv: 'är inte giltigt: {path} {fault}',
    nb: 'er ikke gyldig: {path} {fault}',
  },
  'other-user': {
    en: 'pays from an account of another user than {first}',
    da: 'betaler fra en anden brugers konto end {first}',
    sv: 'betalar från en annan användares konto än {first}',
    nb: 'betaler fra en annen brukers konto enn {first}',
  },
});
