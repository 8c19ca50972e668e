import { type Check, failed, passed, warning } from '../check-table.ts';
import type { Certificate } from '../x509/certificate.ts';
import { shortName } from '../x509/names.ts';
import { createCrlAsker } from './ask-crl.ts';
import { createOcspAsker } from './ask-ocsp.ts';
import { decided, type Finding, undecided } from './finding.ts';
import { limitFetch, type RevocationFetch } from './revocation-fetch.ts';
import { needsNoRevocation, type RevocationSource, revocationSources } from './revocation-sources.ts';

/**
 * `off`: no lookups. `soft-fail`: a revoked certificate is refused, an unknown status is a warning. `hard-fail`: an unknown
 * status is refused, too.
 */
export type RevocationMode = 'off' | 'soft-fail' | 'hard-fail';

export interface RevocationOptions {
  readonly mode: RevocationMode;
  readonly fetch: RevocationFetch;
  /** Milliseconds that a verdict waits for all look-ups together; default 3000. */
  readonly timeLimit?: number;
  /** Called for each lookup that decided nothing. */
  readonly onFault?: (report: { readonly source: RevocationSource; readonly fault: string }) => void;
}

/** One check for every certificate below the anchor, the gravest first. */
export interface RevocationResult {
  readonly checks: readonly Check[];
  /** Milliseconds since 1970: they hold up to before this moment. */
  readonly until: number;
}

/** Finds out, within a time limit, whether the certificates of an accepted path (leaf … anchor) are revoked. */
export type CheckRevocation = (path: readonly Certificate[], at: Date) => Promise<RevocationResult>;

const DEFAULT_TIME_LIMIT_MS = 3_000;
/** Maximum number of concurrent requests, over all verdicts. */
const MAX_REQUESTS = 64;

/** Asks OCSP first, then CRLs. Caches answers for their own validity. Needs no closing. */
export function createRevocation(options: RevocationOptions): CheckRevocation {
  const { mode, timeLimit = DEFAULT_TIME_LIMIT_MS, onFault } = options;
  const fetch = limitFetch(options.fetch, MAX_REQUESTS);
  const ask = { OCSP: createOcspAsker(fetch), CRL: createCrlAsker(fetch) };

  /** Asks one source after the other, each within its share of the remaining time. */
  const find = async (certificate: Certificate, issuer: Certificate, at: Date): Promise<Finding> => {
    if (needsNoRevocation(certificate))
      return decided('good', 'lives too short to be revoked, as its issuer states', {
        at: at.getTime(),
        ends: certificate.notAfter,
      });
    const sources = revocationSources(certificate);
    const deadline = performance.now() + timeLimit;
    const faults: Finding[] = [];
    for (const [i, source] of sources.entries()) {
      const { kind, url } = source;
      const share = (deadline - performance.now()) / (sources.length - i);
      const late = undecided('gives no answer in time', at.getTime(), true);
      const asked = {
        url,
        certificate,
        issuer,
        at,
        onFault: (fault: string) => onFault?.({ source, fault }),
      };
      const found = await within(share, ask[kind](asked), late);
      const finding = { ...found, evidence: `${kind} ${url.slice(0, 200)} ${found.evidence}` };
      if (finding.status !== 'undecided') return finding;
      faults.push(finding);
    }
    if (faults.length === 0) return undecided('names neither OCSP responder nor CRL', at.getTime());
    return {
      status: 'undecided',
      evidence: faults.map(({ evidence }) => evidence).join('; '),
      until: Math.min(...faults.map(({ until }) => until)),
      isTemporary: faults.some(({ isTemporary }) => isTemporary),
    };
  };

  return async (path, at) => {
    const found = await Promise.all(
      path.slice(0, -1).map(async (certificate, i) => {
        const finding = await find(certificate, path[i + 1]!, at);
        return { certificate, finding, gravity: gravityOf(finding) };
      }),
    );
    return {
      checks: found
        .toSorted((a, b) => b.gravity - a.gravity)
        .map(({ certificate, finding }) => explain(certificate, finding, mode)),
      until: Math.min(...found.map(({ finding }) => finding.until)),
    };
  };
}

/** Orders failed checks, since the first one names the refusal: revocations, then permanent faults, then the rest. */
function gravityOf({ status, isTemporary }: Finding): number {
  if (status === 'revoked') return 3;
  if (status === 'good') return 0;
  return isTemporary ? 1 : 2;
}

function explain(certificate: Certificate, finding: Finding, mode: RevocationMode): Check {
  const evidence = `${shortName(certificate.subject)}: ${finding.evidence}`;
  if (finding.status === 'good') return passed('revocation', evidence);
  if (finding.status === 'revoked') return failed('revocation', evidence);
  const check = finding.isTemporary ? 'revocation-source' : 'revocation-status';
  return mode === 'hard-fail' ? failed(check, evidence) : warning(check, evidence);
}

async function within<T>(milliseconds: number, promise: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
