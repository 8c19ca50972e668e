import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kontoport } from '@kontoport/testing/kontoport';
import { type TestCa, testCa, type TestQwac, testQwac } from '@kontoport/testing/qwac';
import { readTrustedList } from '../src/trusted-list.ts';
import { createSignedXml } from '../src/xml-signature.ts';

const NOW = new Date();
const later = (days: number): string => new Date(NOW.getTime() + days * 86_400_000).toISOString();
const SERVICE = 'http://uri.etsi.org/TrstSvc/';

let ca: TestCa;
let signer: TestQwac;
let signerCertificate: X509Certificate;

beforeAll(async () => {
  ca = await testCa({ name: 'Qualified CA' });
  signer = await testQwac({
    issuer: ca,
    organizationName: 'Scheme Operator',
    organizationIdentifier: 'NTRDK-1',
    algorithm: 'RSA-2048',
  });
  signerCertificate = new X509Certificate(signer.certificatePem);
});

interface ServiceOptions {
  type?: string;
  status?: string;
  purpose?: string | undefined;
  name?: string;
  since?: string;
}

function serviceXml({
  type = 'Svctype/CA/QC',
  status = 'TrustedList/Svcstatus/granted',
  purpose = 'ForWebSiteAuthentication',
  name = 'QWAC issuer',
  since = later(-100),
}: ServiceOptions): string {
  const extension = `<ServiceInformationExtensions><Extension Critical="true"><AdditionalServiceInformation><URI xml:lang="en">${SERVICE}TrustedList/SvcInfoExt/${purpose}</URI></AdditionalServiceInformation></Extension></ServiceInformationExtensions>`;
  return `<TSPService><ServiceInformation><ServiceTypeIdentifier>${SERVICE}${type}</ServiceTypeIdentifier>
    <ServiceName><Name xml:lang="en">${name}</Name></ServiceName>
    <ServiceDigitalIdentity><DigitalId><X509Certificate>${Buffer.from(ca.der).toString('base64')}</X509Certificate></DigitalId></ServiceDigitalIdentity>
    <ServiceStatus>${SERVICE}${status}</ServiceStatus><StatusStartingTime>${since}</StatusStartingTime>${purpose === '' ? '' : extension}</ServiceInformation></TSPService>`;
}

function listXml(services: ServiceOptions[], options: { issued?: string; next?: string } = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?><TrustServiceStatusList xmlns="http://uri.etsi.org/02231/v2#" Id="list" TSLTag="http://uri.etsi.org/19612/TSLTag">
  <SchemeInformation><TSLVersionIdentifier>5</TSLVersionIdentifier><SchemeTerritory>DK</SchemeTerritory>
  <ListIssueDateTime>${options.issued ?? later(-1)}</ListIssueDateTime><NextUpdate><dateTime>${options.next ?? later(90)}</dateTime></NextUpdate></SchemeInformation>
  <TrustServiceProviderList><TrustServiceProvider><TSPInformation><TSPName><Name xml:lang="da">Udsteder</Name><Name xml:lang="en">Issuer</Name></TSPName></TSPInformation>
  <TSPServices>${services.map(serviceXml).join('')}</TSPServices></TrustServiceProvider></TrustServiceProviderList></TrustServiceStatusList>`;
}

function sign(xml: string, options: { key?: string; algorithm?: string; xpath?: string } = {}): string {
  const signature = createSignedXml({
    privateKey: options.key ?? signer.keyPem,
    signatureAlgorithm: options.algorithm ?? 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  });
  const whole = options.xpath === undefined;
  signature.addReference({
    xpath: options.xpath ?? '/*',
    isEmptyUri: whole,
    transforms: [
      'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
      'http://www.w3.org/2001/10/xml-exc-c14n#',
    ],
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
  });
  signature.computeSignature(xml);
  return signature.getSignedXml();
}

const read = (xml: string): ReturnType<typeof readTrustedList> =>
  readTrustedList(xml, { signer: signerCertificate, now: NOW });

describe('import of an EU trusted list (ETSI TS 119 612)', () => {
  it('keeps granted CA/QC services for website authentication, and only those', () => {
    const list = read(
      sign(
        listXml([
          { name: 'kept' },
          { name: 'withdrawn', status: 'TrustedList/Svcstatus/withdrawn' },
          { name: 'signatures only', purpose: 'ForeSignatures' },
          { name: 'no purpose', purpose: '' },
          { name: 'time stamps', type: 'Svctype/TSA/QTST' },
          { name: 'granted tomorrow', since: later(1) },
        ]),
      ),
    );
    expect(list.services.map(({ provider, service }) => [provider, service])).toEqual([['Issuer', 'kept']]);
    expect(list.passedOver).toBe(5);
    expect(list.territory).toBe('DK');
    expect(Buffer.from(list.services[0]!.certificates[0]!.raw)).toEqual(Buffer.from(ca.der));
  });

  it('accepts an ECDSA signature', async () => {
    const ecdsaSigner = await testQwac({
      issuer: ca,
      organizationName: 'Operator',
      organizationIdentifier: 'NTRDK-2',
      algorithm: 'P-384',
    });
    const xml = sign(listXml([{}]), {
      key: ecdsaSigner.keyPem,
      algorithm: 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384',
    });
    const list = readTrustedList(xml, { signer: new X509Certificate(ecdsaSigner.certificatePem), now: NOW });
    expect(list.services).toHaveLength(1);
  });

  it('refuses a list that was changed after it was signed', () => {
    const xml = sign(listXml([{ status: 'TrustedList/Svcstatus/withdrawn' }])).replace(
      'withdrawn',
      'granted',
    );
    expect(() => read(xml)).toThrow('changed after it was signed');
  });

  it('refuses a list that another key signed, whatever certificate it carries', async () => {
    const stranger = await testQwac({
      issuer: ca,
      organizationName: 'Stranger',
      organizationIdentifier: 'NTRDK-3',
      algorithm: 'RSA-2048',
    });
    expect(() => read(sign(listXml([{}]), { key: stranger.keyPem }))).toThrow('invalid signature');
  });

  it('refuses an unsigned list', () => {
    expect(() => read(listXml([{}]))).toThrow('0 signatures instead of one');
  });

  it('refuses a signature that covers a part of the list only', () => {
    const xml = sign(listXml([{}]), { xpath: "//*[local-name()='SchemeInformation']" });
    expect(() => read(xml)).toThrow('does not cover the whole list');
  });

  it('refuses SHA-1', () => {
    const xml = sign(listXml([{}])).replace(
      'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
    );
    expect(() => read(xml)).toThrow(/not supported/);
  });

  it('refuses a list past its next update, and one from the future', () => {
    expect(() => read(sign(listXml([{}], { next: later(-1) })))).toThrow('out of date since');
    expect(() => read(sign(listXml([{}], { issued: later(1) })))).toThrow('issued in the future');
  });

  it('refuses a document type declaration before it is parsed', () => {
    expect(() => read(`<!DOCTYPE x [<!ENTITY a "aa">]>${listXml([{}])}`)).toThrow(
      'document type declaration',
    );
  });

  it('refuses broken XML and other documents', () => {
    expect(() => read('<a><b></a>')).toThrow('malformed');
    expect(() => read(sign('<a Id="list"><b/></a>'))).toThrow('not a trusted list');
  });
});

describe('npm run qwac -- import-trusted-list', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kontoport-tl-'));
    await writeFile(join(folder, 'signer.pem'), signer.certificatePem);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const run = (list: string) =>
    kontoport(
      `qwac import-trusted-list --list ${list} --signer ${join(folder, 'signer.pem')} --out ${join(folder, 'anchors')}`.split(
        ' ',
      ),
    );

  it('writes each issuer as a PEM file of the trust-anchor folder', async () => {
    await writeFile(join(folder, 'list.xml'), sign(listXml([{}])));
    expect(await run(join(folder, 'list.xml'))).toMatchObject({ status: 0, stderr: '' });
    const files = await readdir(join(folder, 'anchors'));
    expect(files).toEqual([expect.stringMatching(/^DK-[0-9a-f]{16}\.pem$/)]);
    const anchor = new X509Certificate(await readFile(join(folder, 'anchors', files[0]!)));
    expect(Buffer.from(anchor.raw)).toEqual(Buffer.from(ca.der));
  });

  it('ends with 1 and writes nothing when the list is refused', async () => {
    await writeFile(join(folder, 'list.xml'), listXml([{}]));
    expect(await run(join(folder, 'list.xml'))).toMatchObject({ status: 1 });
    await expect(readdir(join(folder, 'anchors'))).rejects.toThrow('ENOENT');
  });

  it.each(['no XML at all', '', '{"json":true}'])('says of %j that it is no XML', async (content) => {
    await writeFile(join(folder, 'list.xml'), content);
    const { status, stderr } = await run(join(folder, 'list.xml'));
    expect(status).toBe(1);
    expect(stderr).toMatch(/list\.xml is refused: (it is not XML|the XML is malformed)/);
    expect(stderr.split('\n')).toHaveLength(2);
  });

  it('ends with 2 when something needed is not given', async () => {
    const { status, stderr } = await kontoport(['qwac', 'import-trusted-list', '--list', 'x']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `kontoport qwac import-trusted-list: required option '--signer <FILE>' not specified. --help shows all\n`,
    });
  });
});
