import { type Fault, FAULTS, mintQwac } from '@kontoport/issuing';
import { describeWith } from '@kontoport/testing/describe-with';
import { type TestCa, testCa } from '@kontoport/testing/qwac';
import { EDGE_ADDRESSES } from '../src/routes.ts';
import { missingFor, REAL_EDGES } from './real-edge.ts';
import { RecipeScene } from './recipe-scene.ts';

/** Faults with which Node presents no certificate. */
const NOT_PRESENTED = new Set(['trailing-bytes', 'rsa1024', 'weak-issuer-key', 'unsupported-curve']);
const PRESENTED = Object.entries<Fault>(FAULTS).filter(([name]) => !NOT_PRESENTED.has(name));

/** The faults for which an edge ends the handshake; docs/edge lists them. */
const ROWS = [
  { edge: REAL_EDGES.nginx, ends: [] },
  {
    edge: REAL_EDGES.haproxy,
    ends: ['unknown-critical', 'critical-key-identifier', 'no-cert-sign', 'name-constraints'],
  },
  { edge: REAL_EDGES.envoy, ends: ['v1', 'explicit-curve', 'no-digital-signature'] },
];

for (const { edge, ends } of ROWS)
  describeWith(`the recipe of ${edge.name}`, { missing: missingFor(edge) }, () => {
    const scene = new RecipeScene();
    let issuer: TestCa;

    beforeAll(async () => {
      await scene.open(edge);
      issuer = await testCa({ name: 'Issuing CA', issuer: scene.ca });
    });
    afterAll(() => scene.close());

    it('tells browsers at {user_url}, and nobody elsewhere, to come over HTTPS only', async () => {
      const answers = await Promise.all(EDGE_ADDRESSES.map((address) => scene.ask(address)));
      expect(answers.map(({ headers }) => headers['strict-transport-security'])).toEqual([
        undefined,
        undefined,
        undefined,
        'max-age=31536000',
      ]);
    });

    it.each(['TLSv1.2', 'TLSv1.3'] as const)(
      'answers whatever is wrong with a certificate, but for the faults that docs/edge lists: %s',
      async (version) => {
        const ended: string[] = [];
        for (const [name, fault] of PRESENTED) {
          const qwac = await mintQwac({
            request: {
              name: 'TPP',
              organizationIdentifier: 'PSDDK-DFSA-1',
              roles: ['PSP_AI'],
              days: 1,
            },
            issuer,
            root: scene.ca,
            at: new Date(),
            fault,
          });
          const isAnswered = await scene
            .ask('base', { qwac, minVersion: version, maxVersion: version })
            .then(({ status }) => status > 0)
            .catch(() => false);
          if (!isAnswered) ended.push(name);
        }
        expect(ended).toEqual(ends);
      },
    );
  });
