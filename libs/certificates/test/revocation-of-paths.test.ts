import 'reflect-metadata';
import { until } from '@kontoport/embedded/wait';
import { testCa } from '@kontoport/testing/qwac';
import { crlAt, makeCrl } from '@kontoport/testing/revocation-responder';
import * as x509 from '@peculiar/x509';
import { OID } from '../src/index.ts';
import { good, hour, later, minute, openScene, type Scene } from './revocation-scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
});

afterAll(() => scene.close());

describe('the path below the anchor', () => {
  /** A QWAC under a CA of its own under the scene.root, each with a CRL. */
  async function mintPath(revokedPart?: 'ca' | 'leaf') {
    const [caPath, leafPath] = [scene.freshPath(), scene.freshPath()];
    const ca = await testCa({
      name: 'Middle CA',
      issuer: scene.root,
      extensions: [crlAt(scene.responder.origin + caPath)],
    });
    const qwac = await scene.mint([crlAt(scene.responder.origin + leafPath)], ca);
    const listed = (part: 'ca' | 'leaf', certificate: x509.X509Certificate) =>
      revokedPart === part ? [certificate] : [];
    scene.responder.on(caPath, makeCrl({ signer: scene.root, revoked: listed('ca', ca.certificate) }));
    return {
      qwac,
      leafPath,
      leafCrl: makeCrl({ signer: ca, revoked: listed('leaf', qwac.certificate) }),
    };
  }

  it('is asked about certificate by certificate', async () => {
    const { qwac, leafPath, leafCrl } = await mintPath();
    scene.responder.on(leafPath, leafCrl);
    expect(await scene.decide(qwac, 'hard-fail', { anchor: scene.root })).toMatchObject({
      accepted: true,
      checks: ['revocation passed', 'revocation passed'],
    });
  });

  it('is refused when an intermediate CA is revoked, though nothing is known of the leaf', async () => {
    const { qwac } = await mintPath('ca');
    for (const mode of ['soft-fail', 'hard-fail'] as const)
      expect(await scene.decide(qwac, mode, { anchor: scene.root })).toMatchObject({
        accepted: false,
        errorCode: 'CERTIFICATE_REVOKED',
      });
  });

  it('needs no answer about a certificate that lives too short to be revoked, unless it is a CA', async () => {
    for (const id of [OID.noRevAvail, OID.validityAssuredShortTerm]) {
      const statement = new x509.Extension(id, false, Buffer.of(5, 0));
      expect(await scene.decide(await scene.mint([statement]), 'hard-fail')).toMatchObject(good);
      const ca = await testCa({ name: 'Short CA', issuer: scene.root, extensions: [statement] });
      expect(
        await scene.decide(await scene.mint([statement], ca), 'hard-fail', { anchor: scene.root }),
      ).toMatchObject({
        errorCode: 'CERTIFICATE_INVALID',
      });
    }
  });
});

describe('what is known stays known', () => {
  const count = (path: string) => scene.responder.asked.filter((asked) => asked === path).length;

  it('for many verdicts, at once and without a promise', async () => {
    const { qwac, path } = await scene.mintWithOcsp((minted) => scene.answerFor(minted));
    const { verifier } = await scene.openHere('hard-fail');
    const together = Array.from({ length: 20 }, async () => verifier.decide(qwac.chain));
    const [first] = await Promise.all(together);
    expect(verifier.decide(qwac.chain)).toBe(first);
    // The verdict itself is made anew after five minutes.
    expect((await verifier.decide(qwac.chain, later(6 * minute))).accepted).toBe(true);
    expect(count(path)).toBe(1);
  });

  it('never past nextUpdate', async () => {
    const { qwac } = await scene.mintWithOcsp((minted) =>
      scene.answerFor(minted, { nextUpdate: later(2 * minute) }),
    );
    const { verifier } = await scene.openHere('hard-fail');
    expect((await verifier.decide(qwac.chain)).accepted).toBe(true);
    expect((await verifier.decide(qwac.chain, later(3 * minute))).failure?.errorCode).toBe(
      'CERTIFICATE_INVALID',
    );
  });

  it('but a revocation is learned of after an hour, when the old answer is renewed', async () => {
    const { qwac, path } = await scene.mintWithOcsp((minted) =>
      scene.answerFor(minted, { nextUpdate: later(20 * hour) }),
    );
    const { verifier } = await scene.openHere('hard-fail');
    await verifier.decide(qwac.chain);
    const answered = new Promise<void>((resolve) => {
      scene.responder.on(path, (_request, response) => {
        response.end(scene.answerFor(qwac, { status: 'revoked', nextUpdate: later(20 * hour) }), resolve);
      });
    });
    expect((await verifier.decide(qwac.chain, later(61 * minute))).accepted).toBe(true);
    await answered;
    // A decision is valid as long as its verdict: five minutes.
    let minutes = 61;
    const decideLater = async () => verifier.decide(qwac.chain, later((minutes += 6) * minute));
    await until(async () => !(await decideLater()).accepted, { what: 'the revocation' });
    expect((await decideLater()).failure?.errorCode).toBe('CERTIFICATE_REVOKED');
  });

  it('at most for a day', async () => {
    const { qwac, path } = await scene.mintWithOcsp((minted) =>
      scene.answerFor(minted, { nextUpdate: later(720 * hour) }),
    );
    const { verifier } = await scene.openHere('hard-fail');
    await verifier.decide(qwac.chain);
    scene.responder.on(path, scene.answerFor(qwac, { status: 'revoked', nextUpdate: later(720 * hour) }));
    expect((await verifier.decide(qwac.chain, later(17 * hour))).accepted).toBe(true);
    expect((await verifier.decide(qwac.chain, later(25 * hour))).failure?.errorCode).toBe(
      'CERTIFICATE_REVOKED',
    );
  });

  it('and is renewed before it ends, without anybody waiting', async () => {
    const { qwac, path } = await scene.mintWithOcsp((minted) =>
      scene.answerFor(minted, { nextUpdate: later(hour) }),
    );
    const { verifier } = await scene.openHere('hard-fail');
    await verifier.decide(qwac.chain);
    const asked = new Promise<void>((resolve) => {
      scene.responder.on(path, (_request, response) => {
        response.end(scene.answerFor(qwac, { nextUpdate: later(3 * hour) }));
        resolve();
      });
    });
    expect((await verifier.decide(qwac.chain, later(50 * minute))).accepted).toBe(true);
    await asked;
    expect((await verifier.decide(qwac.chain, later(70 * minute))).accepted).toBe(true);
    expect(count(path)).toBe(2);
  });

  it('also when the renewal fails, up to its end', async () => {
    const { qwac, path } = await scene.mintWithOcsp((minted) =>
      scene.answerFor(minted, { nextUpdate: later(hour) }),
    );
    const { verifier, faults } = await scene.openHere('hard-fail');
    await verifier.decide(qwac.chain);
    scene.responder.on(path, (_request, response) => response.writeHead(503).end());
    expect((await verifier.decide(qwac.chain, later(50 * minute))).accepted).toBe(true);
    while (faults.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await verifier.decide(qwac.chain, later(59 * minute))).accepted).toBe(true);
    expect((await verifier.decide(qwac.chain, later(61 * minute))).failure?.errorCode).toBe('UNAVAILABLE');
  });
});
