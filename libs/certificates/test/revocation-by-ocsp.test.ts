import 'reflect-metadata';
import { type TestCa, testCa, testQwac } from '@kontoport/testing/qwac';
import { delegateOf, type OcspAnswer, signerOf } from '@kontoport/testing/revocation-responder';
import * as x509 from '@peculiar/x509';
import { derElement, derOid, derSequence, OID, type RevocationMode, TAG } from '../src/index.ts';
import { good, hour, later, minute, openScene, revoked, type Scene, undecided } from './revocation-scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
});

afterAll(() => scene.close());

describe('RFC 6960: the OCSP responder of a certificate', () => {
  it.each<[string, Partial<OcspAnswer>]>([
    ['named by SHA-1', {}],
    ['named by SHA-256', { hash: 'sha256' }],
    ['of a responder named by its key', { responder: 'key' }],
    ['produced for the question, without nextUpdate', { nextUpdate: null }],
  ])('is believed when it says good, %s', async (_what, change) => {
    const { qwac } = await scene.mintWithOcsp((minted) => scene.answerFor(minted, change));
    expect(await scene.decide(qwac, 'hard-fail')).toMatchObject(good);
  });

  it.each<RevocationMode>(['soft-fail', 'hard-fail'])('refuses what is revoked, %s', async (mode) => {
    const { qwac } = await scene.mintWithOcsp((minted) => scene.answerFor(minted, { status: 'revoked' }));
    expect(await scene.decide(qwac, mode)).toMatchObject(revoked);
  });

  it('is not asked when revocation is off, nor by verify', async () => {
    const { qwac, path } = await scene.mintWithOcsp((minted) =>
      scene.answerFor(minted, { status: 'revoked' }),
    );
    expect(await scene.decide(qwac, 'off')).toMatchObject({ accepted: true, checks: [] });
    const { verifier } = await scene.openHere('hard-fail');
    expect(verifier.verify(qwac.chain).accepted).toBe(true);
    expect(scene.responder.asked).not.toContain(path);
  });

  it('is asked with the serial number and the hashes of the issuer', async () => {
    let body = Buffer.alloc(0);
    let type: string | undefined;
    const { qwac } = await scene.mintWithOcsp((minted) => (request, response) => {
      type = `${request.method} ${request.headers['content-type']}`;
      request.on('data', (chunk: Buffer) => (body = Buffer.concat([body, chunk])));
      request.on('end', () => response.end(scene.answerFor(minted)));
    });
    expect(await scene.decide(qwac, 'hard-fail')).toMatchObject(good);
    expect(type).toBe('POST application/ocsp-request');
    expect(body.toString('hex')).toContain(qwac.certificate.serialNumber);
  });

  const extension = (id: string, critical: boolean) =>
    derSequence([
      derSequence([
        derOid(id),
        ...(critical ? [derElement(TAG.boolean, Buffer.of(0xff))] : []),
        derElement(TAG.octetString, Buffer.of(5, 0)),
      ]),
    ]);

  it.each<[string, Partial<OcspAnswer>, RegExp]>([
    ['unknown', { status: 'unknown' }, /does not know the certificate/],
    ['expired', { nextUpdate: later(-hour) }, /expired at/],
    ['not valid yet', { thisUpdate: later(hour) }, /not valid before/],
    ['produced in the future', { producedAt: later(hour) }, /produced later than now/],
    ['old and without nextUpdate', { nextUpdate: null, producedAt: later(-hour) }, /has no nextUpdate/],
    ['about the certificate twice', { times: 2 }, /more than once/],
    ['about nothing', { times: 0 }, /not about this certificate/],
    [
      'with a critical extension',
      { extensions: extension('1.2.3.4', true) },
      /critical extension 1\.2\.3\.4/,
    ],
    ['signed with SHA-1', { algorithm: 'ecdsa-with-SHA1' }, /SHA-1 signature/],
  ])('decides nothing with an answer that is %s', async (_what, change, why) => {
    const { qwac } = await scene.mintWithOcsp((minted) => scene.answerFor(minted, change));
    expect(await scene.inBothModes(qwac)).toEqual(undecided(why));
  });

  it('may add extensions that are not critical', async () => {
    const extensions = extension('1.2.3.4', false);
    const { qwac } = await scene.mintWithOcsp((minted) => scene.answerFor(minted, { extensions }));
    expect(await scene.decide(qwac, 'hard-fail')).toMatchObject(good);
  });

  it('decides nothing with an answer about another certificate, or of another issuer', async () => {
    const other = await scene.mint([]);
    const about = await scene.mintWithOcsp(() => scene.answerFor(other));
    expect(await scene.inBothModes(about.qwac)).toEqual(undecided(/not about this certificate/));
    const foreign = await scene.mintWithOcsp((minted) => scene.answerFor(minted, { issuer: scene.root.der }));
    expect(await scene.inBothModes(foreign.qwac)).toEqual(undecided(/not about this certificate/));
  });

  it.each<[string, Uint8Array, RegExp, 'lasting' | 'temporary']>([
    ['garbage', Buffer.from('<html>sign in</html>'), /cannot be used/, 'lasting'],
    ['nothing', Buffer.alloc(0), /cannot be used: truncated/, 'lasting'],
    ['more than 64 KB', Buffer.alloc(65_537), /more than 65536 bytes/, 'lasting'],
    ['unauthorized', Buffer.from('30030a0106', 'hex'), /answers unauthorized/, 'lasting'],
    ['tryLater', Buffer.from('30030a0103', 'hex'), /answers tryLater/, 'temporary'],
  ])('decides nothing with %s', async (_what, bytes, why, kind) => {
    const { qwac } = await scene.mintWithOcsp(() => bytes);
    expect(await scene.inBothModes(qwac)).toEqual(undecided(why, kind));
  });
});

describe('RFC 6960 §4.2.2.2: who may sign an OCSP answer', () => {
  const purposes = (...ids: string[]) => new x509.ExtendedKeyUsageExtension(ids);
  const noCheck = new x509.Extension(OID.ocspNoCheck, false, Buffer.of(5, 0));

  async function answerSignedBy(extensions: readonly x509.Extension[], issuer: TestCa = scene.issuing) {
    const delegate = await scene.mint(extensions, issuer);
    const { qwac } = await scene.mintWithOcsp((minted) =>
      scene.answerFor(minted, {
        signer: delegateOf(delegate),
        certificates: [delegate.chain[0]!],
        responder: 'key',
      }),
    );
    return qwac;
  }

  it('a delegate that the issuer made for it', async () => {
    const qwac = await answerSignedBy([purposes(OID.ocspSigning), noCheck]);
    expect(await scene.decide(qwac, 'hard-fail')).toMatchObject(good);
  });

  it.each<[string, { extensions?: readonly x509.Extension[]; without?: readonly string[] }]>([
    ['no authorityKeyIdentifier', { without: [OID.authorityKeyIdentifier] }],
    [
      'a critical subjectKeyIdentifier',
      { extensions: [new x509.Extension(OID.subjectKeyIdentifier, true, Buffer.of(4, 1, 1))] },
    ],
    [
      'an issuerAltName that says nothing',
      { extensions: [new x509.Extension(OID.issuerAltName, false, Buffer.of(0x30, 0))] },
    ],
  ])(
    'a delegate with a slip of its issuer that validation does not ask about: %s (ADR-0006)',
    async (_slip, made) => {
      const delegate = await testQwac({
        issuer: scene.issuing,
        organizationName: 'Responder',
        organizationIdentifier: 'PSDDK-DFSA-1',
        ...made,
        extensions: [purposes(OID.ocspSigning), noCheck, ...(made.extensions ?? [])],
      });
      const { qwac } = await scene.mintWithOcsp((minted) =>
        scene.answerFor(minted, { signer: delegateOf(delegate), certificates: [delegate.chain[0]!] }),
      );
      expect(await scene.decide(qwac, 'hard-fail')).toMatchObject(good);
    },
  );

  it('no delegate with a critical extension that nobody knows', async () => {
    const strange = new x509.Extension('1.2.3.4', true, Buffer.of(5, 0));
    const qwac = await answerSignedBy([purposes(OID.ocspSigning), noCheck, strange]);
    expect(await scene.inBothModes(qwac)).toEqual(undecided(/extensions-critical/));
  });

  it('no delegate without id-kp-OCSPSigning', async () => {
    expect(await scene.inBothModes(await answerSignedBy([purposes(OID.clientAuth), noCheck]))).toEqual(
      undecided(/no id-kp-OCSPSigning/),
    );
  });

  it('no delegate that could be revoked itself', async () => {
    expect(await scene.inBothModes(await answerSignedBy([purposes(OID.ocspSigning)]))).toEqual(
      undecided(/no id-pkix-ocsp-nocheck/),
    );
  });

  it('no delegate of another CA, whatever its name', async () => {
    const extensions = [purposes(OID.ocspSigning), noCheck];
    expect(await scene.inBothModes(await answerSignedBy(extensions, scene.root))).toEqual(
      undecided(/not issued by the issuer itself/),
    );
    const impostor = await testCa({ name: 'Revocation CA' });
    expect(await scene.inBothModes(await answerSignedBy(extensions, impostor))).toEqual(
      undecided(/not issued by the issuer itself/),
    );
  });

  it('no delegate that has expired', async () => {
    const delegate = await testQwac({
      issuer: scene.issuing,
      organizationName: 'Responder',
      organizationIdentifier: 'PSDDK-DFSA-1',
      extensions: [purposes(OID.ocspSigning), noCheck],
      notAfter: later(-minute),
    });
    const { qwac } = await scene.mintWithOcsp((minted) =>
      scene.answerFor(minted, { signer: delegateOf(delegate), certificates: [delegate.chain[0]!] }),
    );
    expect(await scene.inBothModes(qwac)).toEqual(undecided(/expired at/));
  });

  it('nobody else: another key under the name of the issuer, the certificate itself', async () => {
    const impostor = await testCa({ name: 'Revocation CA' });
    const forged = await scene.mintWithOcsp((minted) =>
      scene.answerFor(minted, { signer: signerOf(impostor) }),
    );
    expect(await scene.inBothModes(forged.qwac)).toEqual(undecided(/not signed by the issuer/));
    const carried = await scene.mintWithOcsp((minted) =>
      scene.answerFor(minted, { signer: signerOf(impostor), certificates: [impostor.der] }),
    );
    expect(await scene.inBothModes(carried.qwac)).toEqual(undecided(/no id-kp-OCSPSigning/));
    const own = await scene.mintWithOcsp((minted) =>
      scene.answerFor(minted, { signer: delegateOf(minted), certificates: [minted.chain[0]!] }),
    );
    expect(await scene.inBothModes(own.qwac)).toEqual(undecided(/no id-kp-OCSPSigning/));
  });
});
