import { describeWith } from '@kontoport/testing/describe-with';
import { CertificateStore, OID, readCertificate, readRevocationList, verdict } from '../src/index.ts';
import { ders, findCorpus, type LimboCase, needOf, readLimbo } from './corpora.ts';
import { cpuTime } from './cpu-time.ts';
import { outOfScope, outOfScopeReason } from './limbo-scope.ts';

const corpus = findCorpus('LIMBO_FILE');
const cases = corpus ? readLimbo(corpus) : [];
const need = needOf(corpus, 'LIMBO_FILE');

const purposes: Readonly<Record<string, string>> = { serverAuth: OID.serverAuth, clientAuth: OID.clientAuth };

function readAnchor(der: Uint8Array) {
  try {
    return [readCertificate(der)];
  } catch {
    return [];
  }
}

function judge(limbo: LimboCase) {
  const demanded = limbo.extended_key_usage.map((purpose) => purposes[purpose]!);
  return verdict([limbo.peer_certificate, ...limbo.untrusted_intermediates].flatMap(ders), {
    profile: 'path',
    anchors: new CertificateStore(limbo.trusted_certs.flatMap(ders).flatMap(readAnchor)),
    at: limbo.validation_time === null ? new Date() : new Date(limbo.validation_time),
    ...(limbo.max_chain_depth === null ? {} : { maxDepth: limbo.max_chain_depth }),
    ...(demanded.length > 0 ? { purposes: demanded } : {}),
    ...(limbo.crls?.length ? { crls: limbo.crls.flatMap(ders).map(readRevocationList) } : {}),
  });
}

const scopeOf = (limbo: LimboCase) => outOfScopeReason(limbo, corpus?.isForeign ?? false);
const isGood = (limbo: LimboCase) => limbo.expected_result === 'SUCCESS';
const inScope = cases.filter((limbo) => scopeOf(limbo) === undefined);

describeWith('RFC 5280 §6: path validation over x509-limbo', need, () => {
  for (const limbo of inScope.filter(isGood))
    it(`accepts ${limbo.id}`, () => {
      expect(judge(limbo).failure).toBeUndefined();
    });

  for (const limbo of inScope.filter((candidate) => !isGood(candidate)))
    it(`refuses ${limbo.id} with a check that failed`, () => {
      const { accepted, checks, failure } = judge(limbo);
      expect(accepted).toBe(false);
      expect(failure?.message).toContain(checks.find(({ result }) => result === 'failed')?.check);
    });

  it('answers every case, in scope or not, within half a second', () => {
    const slow = cases.filter((limbo) => {
      const start = cpuTime();
      judge(limbo);
      return cpuTime() - start > 500;
    });
    expect(slow.map(({ id }) => id)).toEqual([]);
  });
});

// The list proves nothing about cases that it does not name.
if (!corpus?.isForeign)
  describeWith('the list of cases that are out of scope', need, () => {
    it('names only cases that exist and that the path rules would decide otherwise', () => {
      const different = cases.filter((limbo) => judge(limbo).accepted !== isGood(limbo));
      expect(different.map(({ id }) => id).toSorted()).toEqual(Object.keys(outOfScope).toSorted());
    });
  });
