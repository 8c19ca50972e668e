import { X509Certificate } from 'node:crypto';
import { childrenOf, readSignedDocument, type XmlElement } from './xml-signature.ts';

/** The trusted list is refused; the message has the reason. */
export class TrustedListError extends Error {
  override readonly name = 'TrustedListError';
}

/** An issuing service of qualified website certificates, as a trusted list of ETSI TS 119 612 names it. */
export interface TrustService {
  provider: string;
  service: string;
  certificates: readonly X509Certificate[];
}

export interface TrustedList {
  /** Two letters, for example DK. */
  territory: string;
  issuedAt: Date;
  /** Absent in a closed list. */
  nextUpdate: Date | undefined;
  /** Services that are granted, of type CA/QC, for website authentication. */
  services: readonly TrustService[];
  /** Number of skipped services of other kinds or states. */
  passedOver: number;
}

const TSL = 'http://uri.etsi.org/02231/v2#';
const EXTENSION = 'http://uri.etsi.org/TrstSvc/TrustedList/SvcInfoExt/';
const CA_QC = 'http://uri.etsi.org/TrstSvc/Svctype/CA/QC';
const GRANTED = 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/granted';
const WEBSITE = `${EXTENSION}ForWebSiteAuthentication`;

/**
 * Reads a national trusted list (TS 119 612 v2) whose enveloped signature holds under `signer`, and keeps the services
 * that may issue QWACs at `now`.
 * @throws XmlSignatureError, TrustedListError.
 */
export function readTrustedList(text: string, options: { signer: X509Certificate; now: Date }): TrustedList {
  const { signer, now } = options;
  requireSuitableSigner(signer, now);
  const root = readSignedDocument(text, signer).documentElement;
  if (root.localName !== 'TrustServiceStatusList' || root.namespaceURI !== TSL)
    throw new TrustedListError('not a trusted list of TS 119 612');
  const scheme = required(root, 'SchemeInformation');
  if (textOf(scheme, 'TSLVersionIdentifier') !== '5' && textOf(scheme, 'TSLVersionIdentifier') !== '6')
    throw new TrustedListError('not version 5 or 6 of the trusted-list format');
  const issuedAt = dateOf(required(scheme, 'ListIssueDateTime'));
  const next = child(required(scheme, 'NextUpdate'), 'dateTime');
  const nextUpdate = next && dateOf(next);
  if (issuedAt > now) throw new TrustedListError(`issued in the future, ${issuedAt.toISOString()}`);
  if (nextUpdate && nextUpdate <= now)
    throw new TrustedListError(`out of date since ${nextUpdate.toISOString()}; fetch the present list`);

  const services: TrustService[] = [];
  let passedOver = 0;
  for (const provider of under(child(root, 'TrustServiceProviderList'), 'TrustServiceProvider')) {
    const name = nameOf(child(required(provider, 'TSPInformation'), 'TSPName'));
    for (const entry of under(child(provider, 'TSPServices'), 'TSPService')) {
      const information = required(entry, 'ServiceInformation');
      if (mayIssueQwacs(information, now))
        services.push({
          provider: name,
          service: nameOf(child(information, 'ServiceName')),
          certificates: certificatesOf(required(information, 'ServiceDigitalIdentity')),
        });
      else passedOver += 1;
    }
  }
  return { territory: textOf(scheme, 'SchemeTerritory'), issuedAt, nextUpdate, services, passedOver };
}

function requireSuitableSigner(signer: X509Certificate, now: Date): void {
  if (now < signer.validFromDate || now > signer.validToDate)
    throw new TrustedListError('the signer certificate is not within its validity');
  const { asymmetricKeyType, asymmetricKeyDetails } = signer.publicKey;
  if (asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) < 2_048)
    throw new TrustedListError('the signer key is shorter than 2048 bits');
}

function mayIssueQwacs(information: XmlElement, now: Date): boolean {
  return (
    textOf(information, 'ServiceTypeIdentifier') === CA_QC &&
    textOf(information, 'ServiceStatus') === GRANTED &&
    dateOf(required(information, 'StatusStartingTime')) <= now &&
    purposesOf(information).includes(WEBSITE)
  );
}

/** The URIs of the additional service information (TS 119 612 §5.5.9.4). */
function purposesOf(information: XmlElement): string[] {
  return under(child(information, 'ServiceInformationExtensions'), 'Extension').flatMap((extension) =>
    under(extension, 'AdditionalServiceInformation').map((entry) => textOf(entry, 'URI')),
  );
}

function certificatesOf(identity: XmlElement): X509Certificate[] {
  return under(identity, 'DigitalId').flatMap((id) =>
    under(id, 'X509Certificate').map((element) => {
      try {
        return new X509Certificate(Buffer.from((element.textContent ?? '').replace(/\s+/g, ''), 'base64'));
      } catch {
        throw new TrustedListError('a certificate of the list cannot be read');
      }
    }),
  );
}

function under(parent: XmlElement | undefined, name: string): XmlElement[] {
  return parent ? [...childrenOf(parent)].filter((element) => element.localName === name) : [];
}

function child(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return under(parent, name)[0];
}

function required(parent: XmlElement, name: string): XmlElement {
  const element = child(parent, name);
  if (!element) throw new TrustedListError(`${parent.localName} lacks ${name}`);
  return element;
}

function textOf(parent: XmlElement, name: string): string {
  return (required(parent, name).textContent ?? '').trim();
}

/** The English name where there is one. */
function nameOf(names: XmlElement | undefined): string {
  const all = under(names, 'Name');
  const english = all.find((name) => name.getAttribute('xml:lang') === 'en') ?? all[0];
  return (english?.textContent ?? '').trim();
}

function dateOf(element: XmlElement): Date {
  const date = new Date((element.textContent ?? '').trim());
  if (Number.isNaN(date.getTime())) throw new TrustedListError(`${element.localName} is not a point in time`);
  return date;
}
