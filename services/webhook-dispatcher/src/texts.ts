import { defineTexts } from '@kontoport/errors';

/** What is said of webhook subscriptions. */
export const TEXTS = defineTexts({
  'subscription-unknown': {
    en: 'There is no such webhook subscription.',
    da: 'Der er intet sådant webhook-abonnement.',
    sv: 'Det finns ingen sådan webhook-prenumeration.',
    nb: 'Det finnes ikke noe slikt webhook-abonnement.',
  },
  'id-invalid': {
    en: 'The id must be 1 to 64 letters, digits, dots, underscores, tildes or dashes.',
    da: 'Id’et skal bestå af 1 til 64 bogstaver, cifre, punktummer, understregninger, tilder eller bindestreger.',
    sv: 'Id:t ska bestå av 1 till 64 bokstäver, siffror, punkter, understreck, tilde eller bindestreck.',
    nb: 'ID-en må bestå av 1 til 64 bokstaver, sifre, punktum, understreker, tilder eller bindestreker.',
  },
  'must-match': {
    en: 'must match {pattern}',
    da: 'skal passe til {pattern}',
    sv: 'ska matcha {pattern}',
    nb: 'må samsvare med {pattern}',
  },
  'id-used': {
    en: 'The id is in use, or belonged to a deleted subscription; choose another.',
    da: 'Id’et er i brug eller har tilhørt et slettet abonnement; vælg et andet.',
    sv: 'Id:t används eller har tillhört en raderad prenumeration; välj ett annat.',
    nb: 'ID-en er i bruk eller har tilhørt et slettet abonnement; velg en annen.',
  },
  'too-many': {
    en: 'A client has at most {most} subscriptions; delete one first.',
    da: 'En klient kan højst have {most} abonnementer; slet et først.',
    sv: 'En klient kan ha högst {most} prenumerationer; radera en först.',
    nb: 'En klient kan ha høyst {most} abonnementer; slett ett først.',
  },
  'too-many-ids': {
    en: 'A client uses at most {most} subscription ids in its life, deleted ones included.',
    da: 'En klient bruger højst {most} abonnements-id’er i sin levetid, slettede medregnet.',
    sv: 'En klient använder högst {most} prenumerations-id:n under sin livstid, raderade inräknade.',
    nb: 'En klient bruker høyst {most} abonnements-ID-er i sin levetid, slettede medregnet.',
  },
  'event-type-unsupported': {
    en: 'is none of the supported event types: {types}',
    da: 'er ingen af de understøttede hændelsestyper: {types}',
    sv: 'är ingen av de händelsetyper som stöds: {types}',
    nb: 'er ingen av hendelsestypene som støttes: {types}',
  },
  'event-types-role': {
    en: 'The client does not hold the role that an event type is for.',
    da: 'Klienten har ikke den rolle, som en hændelsestype er for.',
    sv: 'Klienten har inte den roll som en händelsetyp är avsedd för.',
    nb: 'Klienten har ikke rollen som en hendelsestype er for.',
  },
  'event-type-role': {
    en: 'is for clients with a role of these: {roles}',
    da: 'er for klienter med en af disse roller: {roles}',
    sv: 'är för klienter med någon av dessa roller: {roles}',
    nb: 'er for klienter med en av disse rollene: {roles}',
  },
  'event-types-none': {
    en: 'must name at least one event type',
    da: 'skal nævne mindst én hændelsestype',
    sv: 'måste ange minst en händelsetyp',
    nb: 'må nevne minst én hendelsestype',
  },
  'event-types-twice': {
    en: 'must name each event type once',
    da: 'skal nævne hver hændelsestype én gang',
    sv: 'ska ange varje händelsetyp en gång',
    nb: 'må nevne hver hendelsestype én gang',
  },
  'url-too-long': {
    en: 'is longer than {most} characters',
    da: 'er længere end {most} tegn',
    sv: 'är längre än {most} tecken',
    nb: 'er lengre enn {most} tegn',
  },
  'url-characters': {
    en: 'must be printable ASCII; percent-encode the rest',
    da: 'skal være ASCII-tegn, der kan udskrives; procentkod resten',
    sv: 'ska vara utskrivbara ASCII-tecken; procentkoda resten',
    nb: 'må være utskrivbare ASCII-tegn; prosentkod resten',
  },
  'not-url': {
    en: 'is not a URL',
    da: 'er ikke en URL',
    sv: 'är inte en URL',
    nb: 'er ikke en URL',
  },
  'url-http-or-https': {
    en: 'must be an http or https URL',
    da: 'skal være en http- eller https-URL',
    sv: 'ska vara en http- eller https-URL',
    nb: 'må være en http- eller https-URL',
  },
  'url-https': {
    en: 'must be an https URL',
    da: 'skal være en https-URL',
    sv: 'ska vara en https-URL',
    nb: 'må være en https-URL',
  },
  'url-user': {
    en: 'must not contain a user name or password',
    da: 'må ikke indeholde brugernavn eller adgangskode',
    sv: 'får inte innehålla användarnamn eller lösenord',
    nb: 'kan ikke inneholde brukernavn eller passord',
  },
  'url-fragment': {
    en: 'must not contain a fragment',
    da: 'må ikke indeholde et fragment',
    sv: 'får inte innehålla ett fragment',
    nb: 'kan ikke inneholde et fragment',
  },
  'url-not-public': {
    en: 'must lead to a public host',
    da: 'skal føre til en offentligt tilgængelig vært',
    sv: 'ska leda till en publikt åtkomlig värd',
    nb: 'må føre til en offentlig tilgjengelig vert',
  },
});
