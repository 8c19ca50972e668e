import { defineTexts } from '@kontoport/errors';

/** For each check, what to do when it fails. */
export const CURES = defineTexts({
  encoding: {
    en: 'Send the certificate unchanged, as the issuer delivered it.',
    da: 'Send certifikatet uændret, som udstederen leverede det.',
    sv: 'Skicka certifikatet oförändrat, så som utfärdaren levererade det.',
    nb: 'Send sertifikatet uendret, slik utstederen leverte det.',
  },
  version: {
    en: 'Ask the issuer for a version 3 certificate.',
    da: 'Bed udstederen om et certifikat i version 3.',
    sv: 'Be utfärdaren om ett certifikat i version 3.',
    nb: 'Be utstederen om et sertifikat i versjon 3.',
  },
  'serial-number': {
    en: 'Ask the issuer for a certificate with a conforming serial number.',
    da: 'Bed udstederen om et certifikat med et gyldigt serienummer.',
    sv: 'Be utfärdaren om ett certifikat med ett giltigt serienummer.',
    nb: 'Be utstederen om et sertifikat med et gyldig serienummer.',
  },
  'signature-algorithm': {
    en: 'Ask the issuer for a certificate signed with SHA-256, SHA-384 or SHA-512.',
    da: 'Bed udstederen om et certifikat, der er signeret med SHA-256, SHA-384 eller SHA-512.',
    sv: 'Be utfärdaren om ett certifikat som är signerat med SHA-256, SHA-384 eller SHA-512.',
    nb: 'Be utstederen om et sertifikat som er signert med SHA-256, SHA-384 eller SHA-512.',
  },
  'public-key': {
    en: 'Make a new key of a permitted kind and size and ask the issuer for a certificate for it.',
    da: 'Lav en ny nøgle af en tilladt type og størrelse, og bed udstederen om et certifikat til den.',
    sv: 'Skapa en ny nyckel av tillåten typ och storlek och be utfärdaren om ett certifikat för den.',
    nb: 'Lag en ny nøkkel av tillatt type og størrelse, og be utstederen om et sertifikat for den.',
  },
  names: {
    en: 'Ask the issuer for a certificate with subject and issuer names.',
    da: 'Bed udstederen om et certifikat med navne på både indehaver og udsteder.',
    sv: 'Be utfärdaren om ett certifikat med namn på både innehavare och utfärdare.',
    nb: 'Be utstederen om et sertifikat med navn på både innehaver og utsteder.',
  },
  'extensions-unique': {
    en: 'Ask the issuer for a certificate with each extension once.',
    da: 'Bed udstederen om et certifikat, hvor hver udvidelse kun står én gang.',
    sv: 'Be utfärdaren om ett certifikat där varje tillägg bara förekommer en gång.',
    nb: 'Be utstederen om et sertifikat der hver utvidelse bare står én gang.',
  },
  'extensions-critical': {
    en: 'Present the certificate as it was delivered, or ask the issuer for one without private critical extensions.',
    da: 'Fremlæg certifikatet, som det blev leveret, eller bed udstederen om et uden private kritiske udvidelser.',
    sv: 'Visa upp certifikatet så som det levererades, eller be utfärdaren om ett utan privata kritiska tillägg.',
    nb: 'Legg frem sertifikatet slik det ble levert, eller be utstederen om et uten private kritiske utvidelser.',
  },
  'extension-form': {
    en: 'Ask the issuer for a certificate whose extensions conform to RFC 5280.',
    da: 'Bed udstederen om et certifikat, hvis udvidelser følger RFC 5280.',
    sv: 'Be utfärdaren om ett certifikat vars tillägg följer RFC 5280.',
    nb: 'Be utstederen om et sertifikat med utvidelser som følger RFC 5280.',
  },
  'key-usage': {
    en: 'Ask the issuer for a certificate whose keyUsage agrees with its basicConstraints.',
    da: 'Bed udstederen om et certifikat, hvor keyUsage stemmer med basicConstraints.',
    sv: 'Be utfärdaren om ett certifikat där keyUsage stämmer med basicConstraints.',
    nb: 'Be utstederen om et sertifikat der keyUsage stemmer med basicConstraints.',
  },
  'basic-constraints': {
    en: 'Present the chain of CA certificates that really issued the certificate.',
    da: 'Fremlæg den kæde af CA-certifikater, der faktisk har udstedt certifikatet.',
    sv: 'Visa upp den kedja av CA-certifikat som faktiskt har utfärdat certifikatet.',
    nb: 'Legg frem den kjeden av CA-sertifikater som faktisk har utstedt sertifikatet.',
  },
  'name-constraints-place': {
    en: 'Ask the issuer for a certificate without name constraints.',
    da: 'Bed udstederen om et certifikat uden navnebegrænsninger.',
    sv: 'Be utfärdaren om ett certifikat utan namnbegränsningar.',
    nb: 'Be utstederen om et sertifikat uten navnebegrensninger.',
  },
  'key-identifiers': {
    en: 'Ask the issuer for a certificate with key identifiers, and present the CA certificate they name.',
    da: 'Bed udstederen om et certifikat med nøgle-id’er, og fremlæg det CA-certifikat, de peger på.',
    sv: 'Be utfärdaren om ett certifikat med nyckelidentifierare och visa upp det CA-certifikat som de pekar på.',
    nb: 'Be utstederen om et sertifikat med nøkkel-ID-er, og legg frem CA-sertifikatet de peker på.',
  },
  'validity-begin': {
    en: 'Wait until its validity begins, or present the certificate that is valid now.',
    da: 'Vent, til dets gyldighedsperiode begynder, eller fremlæg det certifikat, der er gyldigt nu.',
    sv: 'Vänta tills giltighetstiden börjar, eller visa upp det certifikat som är giltigt nu.',
    nb: 'Vent til gyldighetsperioden begynner, eller legg frem det sertifikatet som er gyldig nå.',
  },
  validity: {
    en: 'Renew the certificate and present the new one.',
    da: 'Forny certifikatet, og fremlæg det nye.',
    sv: 'Förnya certifikatet och visa upp det nya.',
    nb: 'Forny sertifikatet, og legg frem det nye.',
  },
  'validity-form': {
    en: 'Ask the issuer for a certificate with conforming dates.',
    da: 'Bed udstederen om et certifikat med korrekt angivne datoer.',
    sv: 'Be utfärdaren om ett certifikat med korrekt angivna datum.',
    nb: 'Be utstederen om et sertifikat med korrekt angitte datoer.',
  },
  issuer: {
    en: 'Present the complete chain, and ask the bank whether it trusts the issuer.',
    da: 'Fremlæg hele kæden, og spørg banken, om den har tillid til udstederen.',
    sv: 'Visa upp hela kedjan och fråga banken om den litar på utfärdaren.',
    nb: 'Legg frem hele kjeden, og spør banken om den har tillit til utstederen.',
  },
  signature: {
    en: 'Present the certificate unchanged with the CA certificate that issued it.',
    da: 'Fremlæg certifikatet uændret sammen med det CA-certifikat, der udstedte det.',
    sv: 'Visa upp certifikatet oförändrat tillsammans med det CA-certifikat som utfärdade det.',
    nb: 'Legg frem sertifikatet uendret sammen med CA-sertifikatet som utstedte det.',
  },
  'path-length': {
    en: 'Ask the issuer which chain belongs to the certificate.',
    da: 'Spørg udstederen, hvilken kæde der hører til certifikatet.',
    sv: 'Fråga utfärdaren vilken kedja som hör till certifikatet.',
    nb: 'Spør utstederen hvilken kjede som hører til sertifikatet.',
  },
  'path-depth': {
    en: 'Present a certificate from a CA nearer to its root.',
    da: 'Fremlæg et certifikat fra en CA tættere på dens rod.',
    sv: 'Visa upp ett certifikat från en CA närmare dess rot.',
    nb: 'Legg frem et sertifikat fra en CA nærmere roten.',
  },
  'work-limit': {
    en: 'Present only the certificates of the one chain.',
    da: 'Fremlæg kun certifikaterne i den ene kæde.',
    sv: 'Visa bara upp certifikaten i den enda kedjan.',
    nb: 'Legg bare frem sertifikatene i den ene kjeden.',
  },
  'name-constraints': {
    en: 'Ask the issuer for a certificate with names that its CA may certify.',
    da: 'Bed udstederen om et certifikat med navne, som dens CA må certificere.',
    sv: 'Be utfärdaren om ett certifikat med namn som dess CA får certifiera.',
    nb: 'Be utstederen om et sertifikat med navn som CA-en kan sertifisere.',
  },
  policies: {
    en: 'Ask the issuer for a certificate with a policy that its CA may use.',
    da: 'Bed udstederen om et certifikat med en politik, som dens CA må bruge.',
    sv: 'Be utfärdaren om ett certifikat med en policy som dess CA får använda.',
    nb: 'Be utstederen om et sertifikat med en policy som CA-en kan bruke.',
  },
  'extended-key-usage': {
    en: 'Ask the issuer for a certificate for TLS.',
    da: 'Bed udstederen om et certifikat til TLS.',
    sv: 'Be utfärdaren om ett certifikat för TLS.',
    nb: 'Be utstederen om et sertifikat for TLS.',
  },
  revocation: {
    en: 'Obtain a new certificate; ask the issuer why this one is revoked.',
    da: 'Anskaf et nyt certifikat, og spørg udstederen, hvorfor dette er tilbagekaldt.',
    sv: 'Skaffa ett nytt certifikat och fråga utfärdaren varför detta är spärrat.',
    nb: 'Skaff et nytt sertifikat, og spør utstederen hvorfor dette er tilbakekalt.',
  },
  'revocation-list': {
    en: 'Fetch the current CRL of the issuer.',
    da: 'Hent udstederens aktuelle CRL.',
    sv: 'Hämta utfärdarens aktuella CRL.',
    nb: 'Hent utstederens gjeldende CRL.',
  },
  'end-entity': {
    en: 'Present the website certificate first, the CA certificates after it.',
    da: 'Fremlæg webstedscertifikatet først og CA-certifikaterne efter det.',
    sv: 'Visa upp webbplatscertifikatet först och CA-certifikaten efter det.',
    nb: 'Legg frem nettstedssertifikatet først og CA-sertifikatene etter det.',
  },
  'leaf-key-usage': {
    en: 'Ask the issuer for a QWAC with digitalSignature in its keyUsage.',
    da: 'Bed udstederen om et QWAC-certifikat med digitalSignature i keyUsage.',
    sv: 'Be utfärdaren om ett QWAC-certifikat med digitalSignature i keyUsage.',
    nb: 'Be utstederen om et QWAC-sertifikat med digitalSignature i keyUsage.',
  },
  'leaf-extended-key-usage': {
    en: 'Ask the issuer for a QWAC for TLS client authentication.',
    da: 'Bed udstederen om et QWAC-certifikat til TLS-klientgodkendelse.',
    sv: 'Be utfärdaren om ett QWAC-certifikat för TLS-klientautentisering.',
    nb: 'Be utstederen om et QWAC-sertifikat for TLS-klientautentisering.',
  },
  'leaf-policy': {
    en: 'Ask the issuer under which certificate policy it issues.',
    da: 'Spørg udstederen, under hvilken certifikatpolitik certifikatet er udstedt.',
    sv: 'Fråga utfärdaren enligt vilken certifikatpolicy certifikatet är utfärdat.',
    nb: 'Spør utstederen hvilken sertifikatpolicy sertifikatet er utstedt etter.',
  },
  'qc-statements': {
    en: 'Ask the issuer for a certificate whose qcStatements conform to ETSI EN 319 412-5.',
    da: 'Bed udstederen om et certifikat, hvis qcStatements følger ETSI EN 319 412-5.',
    sv: 'Be utfärdaren om ett certifikat vars qcStatements följer ETSI EN 319 412-5.',
    nb: 'Be utstederen om et sertifikat med qcStatements som følger ETSI EN 319 412-5.',
  },
  'qc-compliance': {
    en: 'Ask a qualified trust service provider for a qualified certificate.',
    da: 'Bed en kvalificeret tillidstjenesteudbyder om et kvalificeret certifikat.',
    sv: 'Be en kvalificerad tillhandahållare av betrodda tjänster om ett kvalificerat certifikat.',
    nb: 'Be en kvalifisert tilbyder av tillitstjenester om et kvalifisert sertifikat.',
  },
  'qc-type': {
    en: 'Present the QWAC (website authentication), not the certificate for seals or signatures.',
    da: 'Fremlæg QWAC-certifikatet (webstedsautentifikation), ikke certifikatet til segl eller signaturer.',
    sv: 'Visa upp QWAC-certifikatet (webbplatsautentisering), inte certifikatet för stämplar eller underskrifter.',
    nb: 'Legg frem QWAC-sertifikatet (nettstedsautentisering), ikke sertifikatet for segl eller signaturer.',
  },
  'psd2-statement': {
    en: 'Ask the issuer for a PSD2 QWAC.',
    da: 'Bed udstederen om et QWAC-certifikat til PSD2.',
    sv: 'Be utfärdaren om ett QWAC-certifikat för PSD2.',
    nb: 'Be utstederen om et QWAC-sertifikat for PSD2.',
  },
  'psd2-form': {
    en: 'Ask the issuer to encode the PSD2 QcStatement as TS 119 495 annex A says.',
    da: 'Bed udstederen om at kode PSD2-QcStatement, som TS 119 495, bilag A, angiver.',
    sv: 'Be utfärdaren att koda PSD2-QcStatement så som TS 119 495, bilaga A, anger.',
    nb: 'Be utstederen om å kode PSD2-QcStatement slik TS 119 495, vedlegg A, angir.',
  },
  'psd2-roles': {
    en: 'Ask the issuer for a certificate that names your roles.',
    da: 'Bed udstederen om et certifikat, der nævner jeres roller.',
    sv: 'Be utfärdaren om ett certifikat som anger era roller.',
    nb: 'Be utstederen om et sertifikat som nevner rollene deres.',
  },
  'psd2-role-names': {
    en: 'Ask the issuer to correct the role: identifier and name contradict each other.',
    da: 'Bed udstederen om at rette rollen: id og navn modsiger hinanden.',
    sv: 'Be utfärdaren att rätta rollen: id och namn motsäger varandra.',
    nb: 'Be utstederen om å rette rollen: ID og navn motsier hverandre.',
  },
  'psd2-role-granted': {
    en: 'Get authorised for account information or payment initiation, and a certificate that says so.',
    da: 'Få tilladelse til kontooplysning eller betalingsinitiering, og et certifikat, der siger det.',
    sv: 'Skaffa tillstånd för kontoinformation eller betalningsinitiering, och ett certifikat som anger det.',
    nb: 'Få tillatelse til kontoinformasjon eller betalingsinitiering, og et sertifikat som sier det.',
  },
  'organization-identifier': {
    en: 'Ask the issuer for a certificate with your authorisation number as organizationIdentifier.',
    da: 'Bed udstederen om et certifikat med jeres tilladelsesnummer som organizationIdentifier.',
    sv: 'Be utfärdaren om ett certifikat med ert tillståndsnummer som organizationIdentifier.',
    nb: 'Be utstederen om et sertifikat med tillatelsesnummeret deres som organizationIdentifier.',
  },
  'organization-identifier-form': {
    en: 'Ask the issuer for the form PSD, country, -, competent authority, -, authorisation number.',
    da: 'Bed udstederen om formen PSD, land, -, kompetent myndighed, -, tilladelsesnummer.',
    sv: 'Be utfärdaren om formen PSD, land, -, behörig myndighet, -, tillståndsnummer.',
    nb: 'Be utstederen om formen PSD, land, -, kompetent myndighet, -, tillatelsesnummer.',
  },
  'nca-id-form': {
    en: "Ask the issuer for the competent authority's registered identifier.",
    da: 'Bed udstederen om den kompetente myndigheds registrerede id.',
    sv: 'Be utfärdaren om den behöriga myndighetens registrerade id.',
    nb: 'Be utstederen om den registrerte ID-en til den kompetente myndigheten.',
  },
  'nca-agreement': {
    en: 'Ask the issuer which competent authority has authorised you.',
    da: 'Spørg udstederen, hvilken kompetent myndighed der har givet jer tilladelse.',
    sv: 'Fråga utfärdaren vilken behörig myndighet som har gett er tillstånd.',
    nb: 'Spør utstederen hvilken kompetent myndighet som har gitt dere tillatelse.',
  },
  'revocation-status': {
    en: 'Ask the issuer why its OCSP responder and CRL say nothing usable about the certificate.',
    da: 'Spørg udstederen, hvorfor dens OCSP-svarer og CRL ikke siger noget brugbart om certifikatet.',
    sv: 'Fråga utfärdaren varför dess OCSP-svarare och CRL inte säger något användbart om certifikatet.',
    nb: 'Spør utstederen hvorfor OCSP-tjenesten og CRL-en ikke sier noe brukbart om sertifikatet.',
  },
  'revocation-source': {
    en: 'Repeat the request later; tell the issuer that its OCSP responder and CRL cannot be reached.',
    da: 'Gentag forespørgslen senere; gør udstederen opmærksom på, at dens OCSP-svarer og CRL ikke kan nås.',
    sv: 'Upprepa begäran senare; meddela utfärdaren att dess OCSP-svarare och CRL inte kan nås.',
    nb: 'Gjenta forespørselen senere; si fra til utstederen om at OCSP-tjenesten og CRL-en ikke kan nås.',
  },
});

/** What a chain lacks that is to be complete; certificates are counted from 1, the leaf. */
export const CHAIN_TEXTS = defineTexts({
  'chain-empty': {
    en: 'There is no certificate.',
    da: 'Der er intet certifikat.',
    sv: 'Det finns inget certifikat.',
    nb: 'Det finnes ikke noe sertifikat.',
  },
  'chain-order': {
    en: 'Certificate {issuer} is not the issuer of certificate {number}; the leaf comes first, and after each certificate its issuer.',
    da: 'Certifikat {issuer} er ikke udstederen af certifikat {number}; bladcertifikatet står først og efter hvert certifikat dets udsteder.',
    sv: 'Certifikat {issuer} är inte utfärdaren av certifikat {number}; lövcertifikatet står först och efter varje certifikat dess utfärdare.',
    nb: 'Sertifikat {issuer} er ikke utstederen av sertifikat {number}; bladsertifikatet står først, og etter hvert sertifikat utstederen av det.',
  },
  'chain-signature': {
    en: 'Certificate {number} is not signed with the key of certificate {issuer}.',
    da: 'Certifikat {number} er ikke underskrevet med nøglen i certifikat {issuer}.',
    sv: 'Certifikat {number} är inte signerat med nyckeln i certifikat {issuer}.',
    nb: 'Sertifikat {number} er ikke signert med nøkkelen i sertifikat {issuer}.',
  },
  'chain-anchor': {
    en: 'The last certificate is no trust anchor; append its issuers up to the root.',
    da: 'Det sidste certifikat er intet tillidsanker; tilføj dets udstedere op til roden.',
    sv: 'Det sista certifikatet är inget tillitsankare; lägg till dess utfärdare upp till roten.',
    nb: 'Det siste sertifikatet er ikke noe tillitsanker; legg til utstederne opp til roten.',
  },
});

/** The words around a finding, which is technical and stays as it was made. */
export const VERDICT_TEXTS = defineTexts({
  failed: {
    en: '{check}: {finding}. {cure} ({clause})',
    da: 'Kontrollen {check} fejlede: {finding}. {cure} ({clause})',
    sv: 'Kontrollen {check} misslyckades: {finding}. {cure} ({clause})',
    nb: 'Kontrollen {check} feilet: {finding}. {cure} ({clause})',
  },
});
