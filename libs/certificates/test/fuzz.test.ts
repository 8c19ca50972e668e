import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '@kontoport/testing/describe-with';
import { testCa, testQwac } from '@kontoport/testing/qwac';
import fc from 'fast-check';
import { DerError } from '../src/der/der-reader.ts';
import {
  CertificateInputError,
  CertificateStore,
  readCertificate,
  readCertificates,
  readRevocationList,
  type Verdict,
  verdict,
} from '../src/index.ts';
import { ders, findCorpus, needOf, readLimbo, readManifest } from './corpora.ts';
import { cpuTime } from './cpu-time.ts';
import { type Mutation, mutations } from './mutations.ts';

const perSeed = 100;
const bounded = { numRuns: perSeed, interruptAfterTimeLimit: 500 };
const budget = 500;

const manifest = findCorpus('QWAC_MANIFEST');
const limbo = findCorpus('LIMBO_FILE');

/** A chain, with what it takes to be accepted. */
interface Seed {
  readonly name: string;
  readonly chain: readonly Uint8Array[];
  readonly anchors: readonly Uint8Array[];
  readonly at: Date;
}

function judge({ chain, anchors, at }: Seed): Verdict {
  return verdict(chain, { anchors: new CertificateStore(anchors.map(readCertificate)), at });
}

/** An error that is not of the documented class. */
function strayError(
  read: () => unknown,
  documented: typeof DerError | typeof CertificateInputError,
): unknown {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof documented ? undefined : error;
  }
}

const tbsOf = (der: Uint8Array) => Buffer.from(readCertificate(der).tbs).toString('hex');

/** A sound answer is within the budget, and accepts no signed bytes that nobody signed. */
function outcomeOf(seed: Seed, position: number, change: Mutation): 'sound' | 'slow' | 'accepted a forgery' {
  const original = seed.chain[position]!;
  const changed = change(original);
  const start = cpuTime();
  const { accepted } = judge({ ...seed, chain: seed.chain.with(position, changed) });
  if (cpuTime() - start > budget) return 'slow';
  const isForged = accepted && position === 0 && tbsOf(changed) !== tbsOf(original);
  return isForged ? 'accepted a forgery' : 'sound';
}

describe('fuzzing: certificates minted here', () => {
  it('refuses a leaf with any one bit of its signed bytes changed', async () => {
    const root = await testCa({ name: 'Fuzz Root' });
    const { chain } = await testQwac({
      issuer: root,
      organizationName: 'Fuzz ApS',
      organizationIdentifier: 'PSDDK-DFSA-1',
    });
    const seed = { name: 'minted', chain, anchors: [root.der], at: new Date() };
    expect(judge(seed).accepted).toBe(true);
    const [leaf] = chain;
    const flip = (offset: number) => (input: Uint8Array) =>
      input.with(offset, input[offset]! ^ (1 << (offset % 8)));
    const outcomes = Array.from(leaf!, (_, offset) => outcomeOf(seed, 0, flip(offset)));
    expect(new Set(outcomes)).toEqual(new Set(['sound']));
  });

  it('never throws or accepts for mutations of leaf and issuing CA', async () => {
    const root = await testCa({ name: 'Fuzz Root', algorithm: 'RSA-2048' });
    const issuing = await testCa({ name: 'Fuzz Issuing', issuer: root, algorithm: 'P-384' });
    const { chain } = await testQwac({
      issuer: issuing,
      organizationName: 'Fuzz ApS',
      organizationIdentifier: 'PSDDK-DFSA-1',
    });
    const seed = { name: 'minted', chain, anchors: [root.der], at: new Date() };
    expect(judge(seed).accepted).toBe(true);
    fc.assert(
      fc.property(fc.nat({ max: 1 }), mutations, (position, change) => {
        expect(outcomeOf(seed, position, change)).toBe('sound');
      }),
      { ...bounded, numRuns: 2000, interruptAfterTimeLimit: 6000 },
    );
  });
});

describeWith(
  'fuzzing: mutations of every certificate of the QWAC corpus',
  needOf(manifest, 'QWAC_MANIFEST'),
  () => {
    const read = (file: string) => readCertificates(readFileSync(join(manifest!.folder, file)));
    const seeds = (manifest ? readManifest(manifest) : []).map((entry): Seed => {
      const [leaf] = read(entry.file);
      const anchors = entry.issuers.flatMap(read).map(({ der }) => der);
      const at = new Date((leaf!.notBefore + leaf!.notAfter) / 2);
      return { name: entry.file, chain: [leaf!.der], anchors, at };
    });

    for (const seed of seeds)
      it(`is sound for ${seed.name}`, () => {
        fc.assert(
          fc.property(mutations, (change) => {
            expect(outcomeOf(seed, 0, change)).toBe('sound');
          }),
          bounded,
        );
      });
  },
);

describeWith(
  'fuzzing: mutations of every certificate and CRL of x509-limbo',
  needOf(limbo, 'LIMBO_FILE'),
  () => {
    const seeds = (limbo ? readLimbo(limbo) : []).map((entry): Seed & { crls: readonly Uint8Array[] } => ({
      name: entry.id,
      chain: [entry.peer_certificate, ...entry.untrusted_intermediates].flatMap(ders),
      anchors: [],
      at: new Date(entry.validation_time ?? Date.now()),
      crls: (entry.crls ?? []).flatMap(ders),
    }));

    it('always gets an answer', () => {
      const chains = seeds.filter(({ chain }) => chain[0]!.length < 10_000);
      fc.assert(
        fc.property(fc.constantFrom(...chains), fc.nat(), mutations, (seed, number, change) => {
          expect(outcomeOf(seed, number % seed.chain.length, change)).toBe('sound');
        }),
        { numRuns: 3000, interruptAfterTimeLimit: 10_000 },
      );
    });

    it('reads a CRL or says why not', () => {
      const crls = seeds.flatMap((seed) => seed.crls);
      if (crls.length === 0) return;
      fc.assert(
        fc.property(fc.constantFrom(...crls), mutations, (crl, change) => {
          expect(strayError(() => readRevocationList(change(crl)), DerError)).toBeUndefined();
        }),
        { numRuns: 2000, interruptAfterTimeLimit: 4000 },
      );
    });
  },
);

describe('fuzzing: the PEM reader', () => {
  const lines = fc.constantFrom(
    '-----BEGIN CERTIFICATE-----',
    '-----END CERTIFICATE-----',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN X509 CRL-----',
    '-----',
    'MIIB',
    'MAA=',
    '====',
    '',
    '\uFEFF',
    'Bag Attributes',
  );
  const text = fc
    .array(fc.oneof(lines, fc.string({ unit: 'binary', maxLength: 40 })), { maxLength: 30 })
    .chain((parts) => fc.constantFrom('\n', '\r\n', '\r', '').map((end) => parts.join(end)));

  it('answers any text with certificates or a CertificateInputError', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary', maxLength: 2000 })), (input) => {
        expect(strayError(() => readCertificates(Buffer.from(input)), CertificateInputError)).toBeUndefined();
      }),
      { numRuns: 5000, interruptAfterTimeLimit: 5000 },
    );
  });

  it('takes time in proportion to the input', () => {
    const hostile = ['-----BEGIN ', '-----BEGIN A-----\n', 'A\n', '-', '\n', ' ', '='];
    for (const part of hostile) {
      const start = cpuTime();
      expect(() => readCertificates(Buffer.from(part.repeat(1_000_000 / part.length)))).toThrow(
        CertificateInputError,
      );
      expect(cpuTime() - start).toBeLessThan(budget);
    }
  });
});
