import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CertificateStore, readCertificate, readCertificates, verdict } from '@kontoport/certificates';
import { testCa, testQwac } from '@kontoport/testing/qwac';
import fc from 'fast-check';
import { ders, findCorpus, readLimbo, readManifest } from '../../../libs/certificates/test/corpora.ts';
import { mutations } from '../../../libs/certificates/test/mutations.ts';

const MUTATED = 5_000;
const SEED = 20_261_121;
/** Of several runs the quickest counts: what remains is the input's doing, not the machine's. */
const RUNS = 3;

interface Input {
  name: string;
  chain: readonly Uint8Array[];
  anchors: CertificateStore;
}

function milliseconds({ chain, anchors }: Input): number {
  const at = new Date();
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    verdict(chain, { anchors, at });
    return performance.now() - start;
  });
  return Math.min(...times);
}

function limboInputs(): Input[] {
  const corpus = findCorpus('LIMBO_FILE');
  const read = (pem: string) => readCertificates(Buffer.from(pem));
  return (corpus ? readLimbo(corpus) : []).map((limbo) => ({
    name: limbo.id,
    chain: [limbo.peer_certificate, ...limbo.untrusted_intermediates].flatMap(ders),
    anchors: new CertificateStore(limbo.trusted_certs.flatMap(read)),
  }));
}

function qwacInputs(anchors: CertificateStore): Input[] {
  const corpus = findCorpus('QWAC_MANIFEST');
  return (corpus ? readManifest(corpus) : []).map(({ file }) => ({
    name: file,
    chain: ders(readFileSync(join(corpus!.folder, file), 'utf8')),
    anchors,
  }));
}

/** Every input with one to four changes, some inputs often: the same ones in every run. */
function mutatedInputs(inputs: readonly Input[]): Input[] {
  const whole = inputs.filter(({ chain }) => chain.length > 0);
  return fc
    .sample(fc.record({ change: mutations, pick: fc.nat(), position: fc.nat() }), {
      numRuns: MUTATED,
      seed: SEED,
    })
    .map(({ change, pick, position }) => {
      const { name, chain, anchors } = whole[pick % whole.length]!;
      const changed = position % chain.length;
      return { name: `${name}, changed`, chain: chain.with(changed, change(chain[changed]!)), anchors };
    });
}

/** The slowest verdict over both corpora, and over mutations of all of them and of a good chain. */
export async function describeWorstVerdicts(): Promise<string[]> {
  const root = await testCa({ name: 'Bench Root' });
  const issuer = await testCa({ name: 'Bench Issuing CA', issuer: root });
  const of = { issuer, organizationName: 'Bench ApS', organizationIdentifier: 'PSDDK-DFSA-1' };
  const anchors = new CertificateStore([readCertificate(root.der)]);
  const good: Input = { name: 'a good chain', chain: (await testQwac(of)).chain, anchors };
  const limbo = limboInputs();
  const qwac = qwacInputs(anchors);
  const groups: Record<string, readonly Input[]> = {
    'x509-limbo': limbo,
    'QWAC corpus': qwac,
    mutations: mutatedInputs([good, good, good, ...qwac, ...limbo]),
  };
  return Object.entries(groups)
    .filter(([, inputs]) => inputs.length > 0)
    .map(([group, inputs]) => {
      const [worst] = inputs
        .map((input) => ({ name: input.name, time: milliseconds(input) }))
        .toSorted((a, b) => b.time - a.time);
      return `worst of ${inputs.length} in ${group}: ${worst!.time.toFixed(1)} ms (${worst!.name})`;
    });
}
