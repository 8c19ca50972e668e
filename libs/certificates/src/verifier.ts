import { hash } from 'node:crypto';
import type { Text } from '@kontoport/errors';
import { type FolderReport, openCertificateFolder } from './path/certificate-folder.ts';
import { faultOfCompleteChain } from './path/complete-chain.ts';
import { createRevocation, type RevocationOptions } from './revocation/revocation.ts';
import { type Verdict, verdict, withChecks } from './verdict.ts';
import { type Certificate, readCertificate } from './x509/certificate.ts';

/** Cached verdicts. */
const MAX_VERDICTS = 1_000;

/** Maximum age of a cached verdict: five minutes, in milliseconds. */
const MAX_AGE_MS = 300_000;

export interface VerifierOptions {
  /** Folder of PEM or DER files with the certificates of trusted roots or issuing CAs. */
  readonly trustAnchors: string;
  /** Folder of CA certificates that complete paths. They are not trusted. */
  readonly intermediates?: string;
  /** Called for every change of a folder, whether it was accepted or not. */
  readonly onReload?: (report: FolderReport) => void;
  /** The revocation checks of `decide`; absent: none. */
  readonly revocation?: RevocationOptions;
}

export interface Verifier {
  /**
   * Judges a presented chain: DER, leaf first. Never throws, and looks nothing up. Verdicts are cached by SHA-256 of the chain for
   * at most five minutes, never across a change of a folder, and never past a certificate's notBefore or notAfter with the 60 s
   * that clocks may differ.
   */
  readonly verify: (chain: readonly Uint8Array[], at?: Date) => Verdict;
  /**
   * As `verify`, with the revocation of the certificates of an accepted path, as configured. Returns the verdict at once when it is
   * known, else a promise within the time limit. The decision is never cached past the validity of an answer.
   */
  readonly decide: (chain: readonly Uint8Array[], at?: Date) => Verdict | Promise<Verdict>;
  /** Returns the fault of a chain that does not lead from its leaf, link by link, to a trust anchor of now: `faultOfCompleteChain`. */
  readonly faultOfChain: (chain: readonly Certificate[]) => Text | undefined;
  /** Reads the folders again. Calls do not overlap. */
  readonly reload: () => Promise<void>;
}

interface Entry {
  readonly verdict: Verdict;
  /** Milliseconds since 1970: the verdict holds from the first up to before the second. */
  readonly from: number;
  readonly until: number;
}

/** Seconds by which our clock may be behind the issuer's (§5.1). */
const CLOCK_TOLERANCE_SECONDS = 60;

/** Digests of chains that are verified again as the same objects. Nobody changes these objects. */
const keys = new WeakMap<readonly Uint8Array[], string>();

function keyOf(chain: readonly Uint8Array[]): string {
  const known = keys.get(chain);
  if (known !== undefined) return known;
  const key = hashOf(chain);
  keys.set(chain, key);
  return key;
}

function hashOf(chain: readonly Uint8Array[]): string {
  const lengths = Buffer.from(Uint32Array.from(chain, (der) => der.length).buffer);
  return hash('sha256', Buffer.concat([lengths, ...chain]), 'base64url');
}

/** The verdict may change when a certificate of the path starts or ends to be valid. */
function holdsUntil({ path }: Verdict, at: number): number {
  const moments = path.flatMap(({ notBefore, notAfter }) => [
    Date.parse(notBefore) - CLOCK_TOLERANCE_SECONDS * 1000,
    Date.parse(notAfter) + 1000,
  ]);
  return Math.min(at + MAX_AGE_MS, ...moments.filter((moment) => moment > at));
}

/**
 * Opens a verifier on a folder of trust anchors, and one of issuing CAs where it is named; `reload` follows their changes.
 * @throws CertificateFolderError when a folder is missing or holds no certificate
 */
export async function openVerifier(options: VerifierOptions): Promise<Verifier> {
  const cache = new Map<string, Entry>();
  const open = (folder: string, place: FolderReport['place']) =>
    openCertificateFolder({
      folder,
      place,
      onReload: (report) => {
        if (report.loaded) cache.clear();
        options.onReload?.(report);
      },
    });
  const anchors = await open(options.trustAnchors, 'anchor');
  const known =
    options.intermediates === undefined ? undefined : await open(options.intermediates, 'intermediate');

  const judge = (chain: readonly Uint8Array[], at: Date) =>
    verdict(chain, {
      anchors: anchors.current(),
      ...(known ? { known: known.current() } : {}),
      at,
      clockToleranceSeconds: CLOCK_TOLERANCE_SECONDS,
    });

  const verify = (chain: readonly Uint8Array[], at = new Date()): Verdict => {
    const key = keyOf(chain);
    const now = at.getTime();
    const known = cache.get(key);
    cache.delete(key);
    if (known && known.from <= now && now < known.until) {
      cache.set(key, known);
      return known.verdict;
    }
    const fresh = judge(chain, at);
    cache.set(key, { verdict: fresh, from: now, until: holdsUntil(fresh, now) });
    if (cache.size > MAX_VERDICTS) cache.delete(cache.keys().next().value!);
    return fresh;
  };

  return {
    verify,
    decide: options.revocation ? withRevocation(verify, options.revocation) : verify,
    faultOfChain: (chain) => faultOfCompleteChain(chain, anchors.current()),
    reload: async () => {
      await anchors.reload();
      await known?.reload();
    },
  };
}

/** Decisions by the verdict that they complete; a decision is dropped with its verdict. */
function withRevocation(verify: Verifier['verify'], options: RevocationOptions): Verifier['decide'] {
  if (options.mode === 'off') return verify;
  const check = createRevocation(options);
  const decisions = new WeakMap<Verdict, Entry>();
  const pending = new WeakMap<Verdict, Promise<Verdict>>();

  const complete = async (base: Verdict, at: Date): Promise<Verdict> => {
    const { checks, until } = await check(base.pathDer.map(readCertificate), at);
    const decision = withChecks(base, checks);
    decisions.set(base, { verdict: decision, from: at.getTime(), until });
    return decision;
  };

  return (chain, at = new Date()) => {
    const base = verify(chain, at);
    if (!base.accepted) return base;
    const known = decisions.get(base);
    const now = at.getTime();
    if (known && known.from <= now && now < known.until) return known.verdict;
    const underWay = pending.get(base);
    if (underWay) return underWay;
    const started = complete(base, at).finally(() => pending.delete(base));
    pending.set(base, started);
    return started;
  };
}
