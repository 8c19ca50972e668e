import 'reflect-metadata';
import type { RequestListener } from 'node:http';
import { testCa, type TestQwac } from '@kontoport/testing/qwac';
import { crlAt, makeCrl, ocspAt } from '@kontoport/testing/revocation-responder';
import * as x509 from '@peculiar/x509';
import { derElement, derSequence, OID } from '../src/index.ts';
import { good, hour, later, minute, openScene, revoked, type Scene, undecided } from './revocation-scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
});

afterAll(() => scene.close());

describe('a responder that does not answer', () => {
  it.each<[string, RequestListener]>([
    ['says nothing', () => undefined],
    ['stops in the middle', (_request, response) => response.writeHead(200).write('0')],
  ])('is waited for no longer than the time limit when it %s', async (_what, answer) => {
    const { qwac } = await scene.mintWithOcsp(() => answer);
    const started = performance.now();
    expect(await scene.inBothModes(qwac, { timeLimit: 150 })).toEqual(
      undecided(/no answer in time/, 'temporary'),
    );
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it.each<[string, 'lasting' | 'temporary', RegExp, RequestListener]>([
    ['503', 'temporary', /answers 503/, (_request, response) => response.writeHead(503).end()],
    ['404', 'lasting', /answers 404/, (_request, response) => response.writeHead(404).end()],
    ['nothing and hangs up', 'temporary', /cannot be reached/, (_request, response) => response.destroy()],
  ])('decides nothing: %s', async (_what, kind, why, answer) => {
    const { qwac } = await scene.mintWithOcsp(() => answer);
    expect(await scene.inBothModes(qwac)).toEqual(undecided(why, kind));
  });

  it('is not followed elsewhere', async () => {
    const target = scene.freshPath();
    const { qwac } = await scene.mintWithOcsp((minted) => {
      const location = scene.responder.on(target, scene.answerFor(minted));
      return (_request, response) => response.writeHead(307, { location }).end();
    });
    expect(await scene.inBothModes(qwac)).toEqual(undecided(/answers 307/));
    expect(scene.responder.asked).not.toContain(target);
  });

  it('is asked once a minute, not with every verdict, and reported each time', async () => {
    const { qwac, path } = await scene.mintWithOcsp(
      () => (_request, response) => response.writeHead(503).end(),
    );
    const { verifier, faults } = await scene.openHere('soft-fail');
    for (let i = 0; i < 5; i += 1) expect((await verifier.decide(qwac.chain)).accepted).toBe(true);
    expect(scene.responder.asked.filter((asked) => asked === path)).toHaveLength(1);
    await verifier.decide(qwac.chain, later(minute + 1));
    expect(scene.responder.asked.filter((asked) => asked === path)).toHaveLength(2);
    expect(faults).toEqual(['OCSP answers 503', 'OCSP answers 503']);
  });
});

describe('the egress guard (ADR-0007: the same as for webhooks)', () => {
  it.each([
    'http://127.0.0.1:1/ocsp',
    'http://10.1.2.3/ocsp',
    'http://169.254.169.254/latest',
    'http://[::1]/',
  ])('sends nothing to %s', async (url) => {
    expect(
      await scene.inBothModes(await scene.mint([ocspAt(url), crlAt(url)]), { allowLoopback: false }),
    ).toEqual(undecided(/not public.*not public/s));
  });

  it('does not count addresses that are no web addresses', async () => {
    const qwac = await scene.mint([ocspAt('ldap://ca.example/o=ca'), crlAt('file:///etc/passwd')]);
    expect(await scene.inBothModes(qwac)).toEqual(undecided(/names neither OCSP responder nor CRL/));
  });
});

describe('RFC 5280 §6.3: the CRL of a certificate', () => {
  type CrlChange = Partial<Parameters<typeof makeCrl>[0]>;

  async function mintWithCrl(
    change: (qwac: TestQwac) => CrlChange = () => ({}),
    more: x509.Extension[] = [],
  ) {
    const path = scene.freshPath();
    const qwac = await scene.mint([crlAt(scene.responder.origin + path), ...more]);
    scene.responder.on(path, makeCrl({ signer: scene.issuing, ...change(qwac) }));
    return { qwac, path };
  }

  it('is taken when there is no responder', async () => {
    expect(await scene.decide((await mintWithCrl()).qwac, 'hard-fail')).toMatchObject(good);
    const listed = await mintWithCrl(({ certificate }) => ({ revoked: [certificate] }));
    expect(await scene.decide(listed.qwac, 'soft-fail')).toMatchObject(revoked);
  });

  it.each<[string, Uint8Array | RequestListener]>([
    ['cannot be reached', (_request, response) => response.destroy()],
    ['hangs', () => undefined],
    ['gives garbage', Buffer.from('garbage')],
  ])('is taken when the responder %s', async (_what, answer) => {
    const url = scene.responder.on(scene.freshPath(), answer);
    const more = [ocspAt(url)];
    const timeLimit = 2_000;
    const { qwac } = await mintWithCrl(() => ({}), more);
    expect(await scene.decide(qwac, 'hard-fail', { timeLimit })).toMatchObject(good);
    const listed = await mintWithCrl(({ certificate }) => ({ revoked: [certificate] }), more);
    expect(await scene.decide(listed.qwac, 'soft-fail', { timeLimit })).toMatchObject(revoked);
  });

  it('is not asked when the responder has answered', async () => {
    const ocsp = scene.freshPath();
    const { qwac, path } = await mintWithCrl(
      ({ certificate }) => ({ revoked: [certificate] }),
      [ocspAt(scene.responder.origin + ocsp)],
    );
    scene.responder.on(ocsp, scene.answerFor(qwac));
    expect(await scene.decide(qwac, 'hard-fail')).toMatchObject(good);
    expect(scene.responder.asked).not.toContain(path);
  });

  it('is read once for all certificates of its issuer', async () => {
    const { qwac, path } = await mintWithCrl();
    const another = await scene.mint([crlAt(scene.responder.origin + path)]);
    const { verifier } = await scene.openHere('hard-fail');
    expect((await verifier.decide(qwac.chain)).accepted).toBe(true);
    expect((await verifier.decide(another.chain)).accepted).toBe(true);
    expect(scene.responder.asked.filter((asked) => asked === path)).toHaveLength(1);
  });

  it.each<[string, () => Promise<CrlChange>, RegExp]>([
    ['expired', async () => ({ nextUpdate: later(-hour) }), /expired at/],
    ['not valid yet', async () => ({ thisUpdate: later(hour) }), /not valid before/],
    ['of another issuer', async () => ({ signer: scene.root }), /of another issuer/],
    [
      'signed with another key',
      async () => ({ signer: await testCa({ name: 'Other' }), name: scene.issuing }),
      /signature does not verify/,
    ],
    [
      'with a critical extension',
      async () => ({ extensions: [new x509.Extension('1.2.3', true, Buffer.of(5, 0))] }),
      /critical and unknown/,
    ],
    [
      'a delta',
      async () => ({ extensions: [new x509.Extension(OID.deltaCrlIndicator, true, Buffer.of(2, 1, 1))] }),
      /delta CRL/,
    ],
    [
      'indirect',
      async () => ({
        extensions: [
          new x509.Extension(
            OID.issuingDistributionPoint,
            true,
            derSequence([derElement(0x84, Buffer.of(0xff))]),
          ),
        ],
      }),
      /indirect CRL/,
    ],
    [
      'about CAs alone',
      async () => ({
        extensions: [
          new x509.Extension(
            OID.issuingDistributionPoint,
            true,
            derSequence([derElement(0x82, Buffer.of(0xff))]),
          ),
        ],
      }),
      /not about this certificate/,
    ],
  ])('decides nothing when it is %s', async (_what, change, why) => {
    const changed = await change();
    const { qwac } = await mintWithCrl(() => changed);
    expect(await scene.inBothModes(qwac)).toEqual(undecided(why));
  });
});
