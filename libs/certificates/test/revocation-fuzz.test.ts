import 'reflect-metadata';
import { type TestCa, testCa, testQwac } from '@kontoport/testing/qwac';
import {
  crlAt,
  delegateOf,
  makeCrl,
  makeOcspResponse,
  ocspAt,
  signerOf,
} from '@kontoport/testing/revocation-responder';
import { ExtendedKeyUsageExtension, Extension } from '@peculiar/x509';
import fc from 'fast-check';
import { OID, readCertificate, readRevocationList } from '../src/index.ts';
import { readOcspResponse } from '../src/revocation/ocsp-response.ts';
import { createRevocation } from '../src/revocation/revocation.ts';
import { cpuTime } from './cpu-time.ts';
import { type Mutation, mutations } from './mutations.ts';

const runs = { numRuns: 500, interruptAfterTimeLimit: 5_000 };
/** Milliseconds for one answer. */
const budget = 500;

/** An accepted answer, and which of its bytes are proven by whom. */
interface Seed {
  readonly name: string;
  readonly path: readonly Uint8Array[];
  readonly answer: Uint8Array;
  readonly provenBytes: (answer: Uint8Array) => readonly Uint8Array[];
}

const signedByOcsp: Seed['provenBytes'] = (answer) => {
  const response = readOcspResponse(answer);
  return typeof response === 'string' ? [] : [response.tbs, ...response.certificates];
};

let seeds: readonly Seed[] = [];

async function makeSeeds(): Promise<readonly Seed[]> {
  const issuing: TestCa = await testCa({ name: 'Fuzzed CA' });
  const issue = (extensions: readonly Extension[]) =>
    testQwac({
      issuer: issuing,
      organizationName: 'Fuzzed ApS',
      organizationIdentifier: 'PSDDK-DFSA-1',
      extensions,
    });
  const delegate = await issue([
    new ExtendedKeyUsageExtension([OID.ocspSigning]),
    new Extension(OID.ocspNoCheck, false, Buffer.of(5, 0)),
  ]);
  const byOcsp = await issue([ocspAt('http://ca.example/ocsp')]);
  const byCrl = await issue([crlAt('http://ca.example/crl')]);
  const about = { certificate: byOcsp.chain[0]!, issuer: issuing.der };
  const delegated = { signer: delegateOf(delegate), certificates: [delegate.chain[0]!] };
  return [
    {
      name: 'an OCSP answer of the issuer',
      path: [byOcsp.chain[0]!, issuing.der],
      answer: makeOcspResponse({ ...about, signer: signerOf(issuing) }),
      provenBytes: signedByOcsp,
    },
    {
      name: 'an OCSP answer of a delegate',
      path: [byOcsp.chain[0]!, issuing.der],
      answer: makeOcspResponse({ ...about, ...delegated }),
      provenBytes: signedByOcsp,
    },
    {
      name: 'a CRL',
      path: [byCrl.chain[0]!, issuing.der],
      answer: makeCrl({ signer: issuing }),
      provenBytes: (answer) => [readRevocationList(answer).tbs],
    },
  ];
}

const hex = (parts: readonly Uint8Array[]) => parts.map((part) => Buffer.from(part).toString('hex'));

/** Returns the outcome for the bytes: nothing, or a decision that their signer made. */
async function outcomeOf(seed: Seed, bytes: Uint8Array) {
  const check = createRevocation({ mode: 'hard-fail', fetch: async () => ({ bytes }) });
  const start = cpuTime();
  const { checks } = await check(seed.path.map(readCertificate), new Date());
  if (cpuTime() - start > budget) return 'slow';
  if (checks[0]!.check !== 'revocation') return 'undecided';
  const isProven = hex(seed.provenBytes(bytes)).join() === hex(seed.provenBytes(seed.answer)).join();
  return isProven ? `as signed: ${checks[0]!.result}` : 'a forgery';
}

beforeAll(async () => {
  seeds = await makeSeeds();
});

describe('any change to an answer', () => {
  it.each([0, 1, 2])('is found out or changes nothing: kind %i', async (index) => {
    const seed = seeds[index]!;
    expect(await outcomeOf(seed, seed.answer)).toBe('as signed: passed');
    await fc.assert(
      fc.asyncProperty(mutations, async (change: Mutation) => {
        const outcome = await outcomeOf(seed, change(seed.answer));
        expect(['undecided', 'as signed: passed']).toContain(outcome);
      }),
      runs,
    );
  });

  it.each([0, 1, 2])('of a single bit decides nothing: kind %i', async (index) => {
    const seed = seeds[index]!;
    for (let i = 0; i < seed.answer.length; i += 3) {
      const changed = Buffer.from(seed.answer);
      changed[i]! ^= 1 << (i & 7);
      expect({ i, outcome: await outcomeOf(seed, changed) }).toEqual({ i, outcome: 'undecided' });
    }
  });

  it('leaves any bytes at all undecided', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        for (const seed of seeds) expect(await outcomeOf(seed, bytes)).toBe('undecided');
      }),
      { numRuns: 200 },
    );
  });
});
