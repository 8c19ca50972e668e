// What a verdict on a QWAC costs, beside @peculiar/x509 (parse and verify) and bare node:crypto, in one run.
import 'reflect-metadata';
import { X509Certificate as NodeCertificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateStore, openVerifier, readCertificate, verdict } from '@kontoport/certificates';
import { type TestAlgorithm, testCa, testQwac } from '@kontoport/testing/qwac';
import * as x509 from '@peculiar/x509';
import { median } from './figures.ts';
import { describeWorstVerdicts } from './worst-verdict.ts';

const rounds = 300;
const warmUp = 50;

/** Median goals in microseconds for a chain of leaf, issuing CA and root. */
const goals: readonly { readonly algorithm: TestAlgorithm; readonly cold: number }[] = [
  { algorithm: 'P-256', cold: 1000 },
  { algorithm: 'P-384', cold: 2000 },
  { algorithm: 'RSA-2048', cold: 1000 },
];
const warmGoal = 5;

/** Medians in microseconds. */
export interface CertificateFigures {
  readonly algorithm: TestAlgorithm;
  readonly cold: number;
  readonly coldGoal: number;
  readonly warm: number;
  readonly warmGoal: number;
  /** Parse three certificates, verify two signatures and the dates; no rules. */
  readonly peculiar: number;
  readonly nodeCrypto: number;
}

type Contender = () => unknown;

/** Runs the contenders in turn, round by round, so that a busy machine slows all of them alike. */
async function interleave(contenders: Readonly<Record<string, Contender>>): Promise<Record<string, number>> {
  const times: Record<string, number[]> = Object.fromEntries(
    Object.keys(contenders).map((name) => [name, []]),
  );
  for (let round = 0; round < warmUp + rounds; round += 1)
    for (const [name, run] of Object.entries(contenders)) {
      const start = process.hrtime.bigint();
      await run();
      const elapsed = Number(process.hrtime.bigint() - start) / 1000;
      if (round >= warmUp) times[name]!.push(elapsed);
    }
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]));
}

async function withPeculiar(chain: readonly Uint8Array[]): Promise<boolean> {
  const certificates = chain.map((der) => new x509.X509Certificate(Uint8Array.from(der)));
  for (const [i, issuer] of certificates.entries())
    if (i > 0 && !(await certificates[i - 1]!.verify({ publicKey: issuer.publicKey }))) return false;
  return true;
}

function withNodeCrypto(chain: readonly Uint8Array[]): boolean {
  const certificates = chain.map((der) => new NodeCertificate(der));
  const now = Date.now();
  return certificates.every((certificate, i) => {
    const issuer = certificates[i + 1];
    const isCurrent = certificate.validFromDate.getTime() <= now && now <= certificate.validToDate.getTime();
    return (
      isCurrent && (!issuer || (certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)))
    );
  });
}

async function measure(algorithm: TestAlgorithm, coldGoal: number): Promise<CertificateFigures> {
  const root = await testCa({ name: 'Bench Root', algorithm });
  const issuing = await testCa({ name: 'Bench Issuing CA', issuer: root, algorithm });
  const { chain } = await testQwac({
    issuer: issuing,
    organizationName: 'Bench ApS',
    organizationIdentifier: 'PSDDK-DFSA-1',
    algorithm,
  });
  const folder = await mkdtemp(join(tmpdir(), 'bench-anchors-'));
  await writeFile(join(folder, 'root.pem'), root.certificatePem);
  const verifier = await openVerifier({ trustAnchors: folder });
  const anchors = new CertificateStore([readCertificate(root.der)]);
  const whole = [...chain, root.der];
  const at = new Date();
  if (!verdict(chain, { anchors, at }).accepted)
    throw new Error('The chain under measurement is not accepted.');
  verifier.verify(chain, at);
  try {
    const medians = await interleave({
      cold: () => verdict(chain, { anchors, at }),
      peculiar: () => withPeculiar(whole),
      nodeCrypto: () => withNodeCrypto(whole),
    });
    // Too short for one reading of the clock.
    const warm = await interleave({
      hundred: () => {
        for (let i = 0; i < 100; i += 1) verifier.verify(chain, at);
      },
    });
    return {
      algorithm,
      cold: medians.cold!,
      coldGoal,
      warm: warm.hundred! / 100,
      warmGoal,
      peculiar: medians.peculiar!,
      nodeCrypto: medians.nodeCrypto!,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function line(figures: CertificateFigures): string {
  const { algorithm, cold, coldGoal, warm, peculiar, nodeCrypto } = figures;
  const microseconds = (value: number) => `${value.toFixed(value < 100 ? 1 : 0)} µs`;
  return [
    algorithm.padEnd(9),
    `cold ${microseconds(cold)} (goal ${microseconds(coldGoal)})`,
    `@peculiar/x509 ${microseconds(peculiar)} (×${(peculiar / cold).toFixed(2)})`,
    `node:crypto ${microseconds(nodeCrypto)} (×${(nodeCrypto / cold).toFixed(2)})`,
    `cached ${microseconds(warm)} (goal ${microseconds(warmGoal)})`,
  ].join(' | ');
}

/** Prints and returns the medians of a cold and a cached verdict for each kind of key. */
export async function benchCertificates(): Promise<readonly CertificateFigures[]> {
  console.log(
    'Verdict on a chain of leaf, issuing CA and root (medians; all checks, against parse + verify alone)',
  );
  const all: CertificateFigures[] = [];
  for (const { algorithm, cold } of goals) {
    const figures = await measure(algorithm, cold);
    console.log(`  ${line(figures)}`);
    all.push(figures);
  }
  for (const worst of await describeWorstVerdicts()) console.log(`  ${worst}`);
  return all;
}
