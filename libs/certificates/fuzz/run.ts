// node libs/certificates/fuzz/run.ts [--seconds 60] [--seed N]: coverage-guided fuzzing of the readers and the verdict.
// Inputs that reach new code are kept and mutated further. A finding is printed as base64 and ends with status 1.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testCa, testQwac } from '@kontoport/testing/qwac';
import fc from 'fast-check';
import { DerError, readDerLeniently } from '../src/der/der-reader.ts';
import {
  CertificateInputError,
  CertificateStore,
  checkQwac,
  readCertificate,
  readCertificates,
  readRevocationList,
  verdict,
} from '../src/index.ts';
import { ders, findCorpus, readLimbo, readManifest } from '../test/corpora.ts';
import { mutations } from '../test/mutations.ts';
import { startCoverage } from './coverage.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } },
});
const seconds = Number(values.seconds);
const firstSeed = Number(values.seed ?? Date.now() % 2 ** 31);
const slowest = 500;
const steps = fc.record({ change: mutations, pick: fc.nat() });

const root = await testCa({ name: 'Fuzz Root' });
const issuing = await testCa({ name: 'Fuzz CA', issuer: root });
const minted = await testQwac({
  issuer: issuing,
  organizationName: 'Fuzz ApS',
  organizationIdentifier: 'PSDDK-DFSA-1',
});
const anchors = new CertificateStore([readCertificate(root.der)]);
const signed = new Set(minted.chain.map((der) => Buffer.from(readCertificate(der).tbs).toString('base64')));

function corpusSeeds(): readonly Uint8Array[] {
  const manifest = findCorpus('QWAC_MANIFEST');
  const limbo = findCorpus('LIMBO_FILE');
  const leaves = manifest
    ? readManifest(manifest).flatMap(({ file }) => ders(readFileSync(join(manifest.folder, file), 'utf8')))
    : [];
  const cases = limbo ? readLimbo(limbo) : [];
  const others = cases.flatMap((entry) => [entry.peer_certificate, ...(entry.crls ?? [])].flatMap(ders));
  return [...leaves, ...others].filter((der) => der.length < 8000);
}

function swallow(read: () => unknown, documented: typeof DerError | typeof CertificateInputError): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof documented)) throw error;
  }
}

/** Runs everything that reads foreign bytes; undefined, or what is wrong. */
function execute(input: Uint8Array): string | undefined {
  const start = performance.now();
  const pem = `-----BEGIN CERTIFICATE-----\n${Buffer.from(input).toString('base64')}\n-----END CERTIFICATE-----`;
  try {
    swallow(() => readDerLeniently(input), DerError);
    swallow(() => readCertificates(input), CertificateInputError);
    swallow(() => readCertificates(Buffer.from(pem)), CertificateInputError);
    swallow(() => readRevocationList(input), DerError);
    swallow(() => checkQwac(readCertificate(input)), DerError);
    verdict([minted.chain[0]!, input], { anchors, at: new Date() });
    const asLeaf = verdict([input, ...minted.chain.slice(1)], { anchors, at: new Date() });
    if (asLeaf.accepted && !signed.has(Buffer.from(readCertificate(input).tbs).toString('base64')))
      return 'accepted bytes that nobody signed';
  } catch (error) {
    return `threw ${error instanceof Error ? error.stack : String(error)}`;
  }
  const elapsed = performance.now() - start;
  return elapsed > slowest ? `took ${elapsed.toFixed(0)} ms` : undefined;
}

async function fuzz(): Promise<number> {
  const probe = await startCoverage('/certificates/src/');
  const reached = new Set<string>();
  const kept: Uint8Array[] = [];
  const keepIfNew = async (input: Uint8Array) => {
    const before = reached.size;
    for (const feature of await probe.take()) reached.add(feature);
    if (reached.size > before) kept.push(input);
  };
  let executions = 0;
  const run = async (input: Uint8Array): Promise<string | undefined> => {
    const fault = execute(input);
    executions += 1;
    await keepIfNew(input);
    return fault && `${fault}\n${Buffer.from(input).toString('base64')}`;
  };
  const deadline = performance.now() + seconds * 1000;
  const findings: string[] = [];
  for (const seed of [...minted.chain, ...corpusSeeds()]) findings.push((await run(seed)) ?? '');
  for (let seed = firstSeed; performance.now() < deadline && !findings.some(Boolean); seed += 1)
    for (const { change, pick } of fc.sample(steps, { numRuns: 50, seed })) {
      const parent = kept[pick % kept.length]!;
      findings.push((await run(change(parent))) ?? '');
    }
  await probe.stop();
  const found = findings.filter(Boolean);
  console.log(
    `${executions} executions, ${reached.size} features, ${kept.length} inputs kept, seed ${firstSeed}`,
  );
  for (const finding of found) console.log(`FINDING ${finding}`);
  return found.length === 0 ? 0 : 1;
}

process.exitCode = await fuzz();
