import { covers, faultOfList, readRevocationListInSteps, type RevocationList } from './crl.ts';
import { type Asked, decided, type Finding, undecided } from './finding.ts';
import { Lookups } from './lookups.ts';
import { readAnswer, type RevocationFetch } from './revocation-fetch.ts';

const MAX_BYTES = 20_000_000;
/** Longer than a verdict waits: a list that is too late for one verdict serves the next. */
const TIME_LIMIT_MS = 30_000;
const KEPT_BYTES = 40_000_000;

type Outcome = { readonly list: RevocationList } | Finding;

/** Looks certificates up on CRLs (RFC 5280 §6.3); a list is kept by its own validity, for each issuer. */
export function createCrlAsker(fetch: RevocationFetch): (asked: Asked) => Promise<Finding> {
  const lists = new Lookups<Outcome>(KEPT_BYTES);

  const load = async ({ url, issuer, at }: Asked): Promise<Outcome> => {
    const headers = { accept: 'application/pkix-crl' };
    const answer = await fetch({
      url,
      method: 'GET',
      headers,
      maxBytes: MAX_BYTES,
      timeLimit: TIME_LIMIT_MS,
    });
    return readAnswer<Outcome>(answer, at, async (bytes) => {
      const list = await readRevocationListInSteps(bytes);
      const fault =
        list.issuer.key === issuer.subject.key ? faultOfList(list, issuer, at) : 'it is of another issuer';
      return fault ? undecided(`gives a list that cannot be used: ${fault}`, at.getTime()) : { list };
    });
  };

  return async (asked) => {
    const at = asked.at.getTime();
    const { value, until } = await lists.find(`${asked.url} ${asked.issuer.sha256}`, at, async () => {
      const outcome = await load(asked);
      if ('list' in outcome) {
        const { nextUpdate, tbs } = outcome.list;
        const ends = decided('good', '', { at, ends: nextUpdate! }).until;
        return { value: outcome, until: ends, isFailure: false, weight: tbs.length };
      }
      asked.onFault(outcome.evidence);
      return { value: outcome, until: outcome.until, isFailure: true, weight: 1 };
    });
    return 'list' in value ? lookUp(value.list, asked, until) : { ...value, until };
  };
}

function lookUp(list: RevocationList, { certificate, at }: Asked, until: number): Finding {
  if (!covers(list, certificate)) return undecided('is not about this certificate', at.getTime());
  const date = list.revoked.get(Buffer.from(certificate.serialNumber).toString('hex'));
  const times = { at: at.getTime(), ends: until };
  return date === undefined
    ? decided('good', `does not list it, as of ${new Date(list.thisUpdate).toISOString()}`, times)
    : decided('revoked', `lists it as revoked at ${new Date(date).toISOString()}`, times);
}
