import 'reflect-metadata';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBoundedFetch } from '@kontoport/egress';
import { type TestCa, testCa, type TestQwac, testQwac } from '@kontoport/testing/qwac';
import {
  makeOcspResponse,
  type OcspAnswer,
  ocspAt,
  type Responder,
  signerOf,
  startResponder,
} from '@kontoport/testing/revocation-responder';
import type { Extension } from '@peculiar/x509';
import { openVerifier, type RevocationMode, type Verdict, type Verifier } from '../src/index.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const later = (milliseconds: number): Date => new Date(Date.now() + milliseconds);

export interface DecideOptions {
  /** The CA whose certificate is the anchor; default: the issuing one. */
  anchor?: TestCa;
  /** Milliseconds; default 20,000, so that a busy machine decides nothing. */
  timeLimit?: number;
  /** The egress guard allows loopback addresses; default true. */
  allowLoopback?: boolean;
}

/** A verdict in short, as far as revocation goes. */
export interface Decided {
  accepted: boolean;
  errorCode: string | undefined;
  /** `check result`, in order. */
  checks: readonly string[];
  evidence: string;
}

/** A CA, verifiers that trust it, and a responder on loopback. */
export interface Scene {
  readonly root: TestCa;
  /** Under `root`. */
  readonly issuing: TestCa;
  readonly responder: Responder;
  /** Returns a path of the responder without a request so far. */
  readonly freshPath: () => string;
  readonly mint: (extensions: readonly Extension[], issuer?: TestCa) => Promise<TestQwac>;
  /** An answer of the issuing CA about a certificate: good, unless changed. */
  readonly answerFor: (qwac: TestQwac, change?: Partial<OcspAnswer>) => Uint8Array;
  /** A QWAC whose responder gives this answer. */
  readonly mintWithOcsp: (
    answer: (qwac: TestQwac) => Uint8Array | RequestListener,
  ) => Promise<{ readonly qwac: TestQwac; readonly path: string }>;
  readonly openHere: (
    mode: RevocationMode,
    options?: DecideOptions,
  ) => Promise<{ readonly verifier: Verifier; readonly faults: readonly string[] }>;
  readonly decide: (qwac: TestQwac, mode: RevocationMode, options?: DecideOptions) => Promise<Decided>;
  readonly inBothModes: (
    qwac: TestQwac,
    options?: DecideOptions,
  ) => Promise<{ readonly soft: Decided; readonly hard: Decided }>;
  readonly close: () => Promise<void>;
}

export const good = { accepted: true, errorCode: undefined, checks: ['revocation passed'] };
export const revoked = {
  accepted: false,
  errorCode: 'CERTIFICATE_REVOKED',
  checks: ['revocation failed'],
};

/** The checks of both modes when nothing is known: a warning, or a refusal. */
export function undecided(why: RegExp, kind: 'lasting' | 'temporary' = 'lasting') {
  const check = kind === 'temporary' ? 'revocation-source' : 'revocation-status';
  const errorCode = kind === 'temporary' ? 'UNAVAILABLE' : 'CERTIFICATE_INVALID';
  const evidence: unknown = expect.stringMatching(why);
  return {
    soft: { accepted: true, errorCode: undefined, checks: [`${check} warning`], evidence },
    hard: { accepted: false, errorCode, checks: [`${check} failed`], evidence },
  };
}

function summary({ accepted, failure, checks }: Verdict): Decided {
  const about = checks.filter(({ check }) => check.startsWith('revocation'));
  return {
    accepted,
    errorCode: failure?.errorCode,
    checks: about.map(({ check, result }) => `${check} ${result}`),
    evidence: about.map(({ evidence }) => evidence).join('\n'),
  };
}

export async function openScene(): Promise<Scene> {
  const fetches = {
    open: createBoundedFetch({ allowLoopback: true, connectTimeout: 2_000 }),
    guarded: createBoundedFetch({ allowLoopback: false }),
  };
  const responder = await startResponder();
  const root = await testCa({ name: 'Revocation Root' });
  const issuing = await testCa({ name: 'Revocation CA', issuer: root });
  const folders: string[] = [];
  let paths = 0;
  const freshPath = () => `/${(paths += 1)}`;

  const openHere: Scene['openHere'] = async (mode, options = {}) => {
    const { anchor = issuing, timeLimit = 20_000, allowLoopback = true } = options;
    const folder = await mkdtemp(join(tmpdir(), 'anchors-'));
    folders.push(folder);
    await writeFile(join(folder, 'anchor.pem'), anchor.certificatePem);
    const faults: string[] = [];
    const verifier = await openVerifier({
      trustAnchors: folder,
      revocation: {
        mode,
        fetch: allowLoopback ? fetches.open : fetches.guarded,
        timeLimit,
        onFault: ({ source, fault }) => faults.push(`${source.kind} ${fault}`),
      },
    });
    return { verifier, faults };
  };

  const decide: Scene['decide'] = async (qwac, mode, options) => {
    const { verifier } = await openHere(mode, options);
    return summary(await verifier.decide(qwac.chain));
  };

  const mint: Scene['mint'] = (extensions, issuer = issuing) =>
    testQwac({
      issuer,
      organizationName: 'Revocable ApS',
      organizationIdentifier: 'PSDDK-DFSA-1',
      extensions,
    });

  return {
    root,
    issuing,
    responder,
    freshPath,
    mint,
    answerFor: (qwac, change = {}) =>
      makeOcspResponse({
        certificate: qwac.chain[0]!,
        issuer: issuing.der,
        signer: signerOf(issuing),
        ...change,
      }),
    mintWithOcsp: async (answer) => {
      const path = freshPath();
      const qwac = await mint([ocspAt(responder.origin + path)]);
      responder.on(path, answer(qwac));
      return { qwac, path };
    },
    openHere,
    decide,
    inBothModes: async (qwac, options) => ({
      soft: await decide(qwac, 'soft-fail', options),
      hard: await decide(qwac, 'hard-fail', options),
    }),
    close: async () => {
      await responder.close();
      await Promise.all([fetches.open.destroy(), fetches.guarded.destroy()]);
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
    },
  };
}
