import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '@kontoport/testing/describe-with';
import { type Certificate, CertificateStore, type CheckId, readCertificates, verdict } from '../src/index.ts';
import { findCorpus, type ManifestEntry, needOf, readManifest } from './corpora.ts';

const corpus = findCorpus('QWAC_MANIFEST');
const entries = corpus ? readManifest(corpus) : [];
const need = needOf(corpus, 'QWAC_MANIFEST');

/** The check that reports a reason of the manifest; undefined when the words are new. */
const reasons: readonly { readonly words: RegExp; readonly check: CheckId | 'none' }[] = [
  { words: /^no QcCompliance/, check: 'qc-compliance' },
  { words: /^PSD2 ASN\.1|UTF8String/, check: 'psd2-form' },
  { words: /^OID \d+ is |^unknown role OID/, check: 'psd2-role-names' },
  { words: /^neither PSP_AI nor PSP_PI/, check: 'psd2-role-granted' },
  { words: /^no roles/, check: 'psd2-roles' },
  { words: /^no PSD2 statement/, check: 'psd2-statement' },
  { words: /QcType/, check: 'qc-type' },
  { words: /EKU/, check: 'leaf-extended-key-usage' },
  { words: /keyUsage/, check: 'leaf-key-usage' },
  { words: /SHA-1/, check: 'signature-algorithm' },
  { words: /organizationIdentifier/, check: 'organization-identifier' },
  // OpenSSL's words for faults that the leaf rules report themselves.
  { words: /^chain: unsuitable certificate purpose/, check: 'none' },
];

const warnings: readonly { readonly words: string; readonly check: CheckId }[] = [
  { words: 'orgId not PSDcc-NCA-id', check: 'organization-identifier-form' },
  { words: 'nCAId format', check: 'nca-id-form' },
  { words: 'orgId and nCAId disagree', check: 'nca-agreement' },
];

const read = (file: string) => readCertificates(readFileSync(join(corpus!.folder, file)));

/** A moment inside the validity of leaf and issuers, or of the leaf where they have none in common. */
function clock(leaf: Certificate, issuers: readonly Certificate[]): Date {
  const all = [leaf, ...issuers];
  const from = Math.max(...all.map(({ notBefore }) => notBefore));
  const to = Math.min(...all.map(({ notAfter }) => notAfter));
  return new Date(from < to ? (from + to) / 2 : (leaf.notBefore + leaf.notAfter) / 2);
}

function judge(entry: ManifestEntry) {
  const [leaf] = read(entry.file);
  const issuers = entry.issuers.flatMap(read);
  return verdict([leaf!.der], {
    profile: issuers.length > 0 ? 'psd2' : 'leaf',
    anchors: new CertificateStore(issuers),
    at: clock(leaf!, issuers),
  });
}

describeWith('ETSI EN 319 412-4, -5 and TS 119 495: certificates found in the wild', need, () => {
  for (const entry of entries)
    it(`gives ${entry.file} its strict verdict for the stated reasons`, () => {
      const { accepted, checks } = judge(entry);
      expect(accepted).toBe(entry.strict.startsWith('accept'));
      const stated = entry.strict.replace(/^(accept|reject): ?/, '').split('; ');
      const expected = stated.map((text) => reasons.find(({ words }) => words.test(text))?.check);
      const found = checks.filter(({ result, check }) => result === 'failed' && check !== 'qc-statements');
      if (accepted) return;
      // A manifest of other cases may have words of its own; ours has none that are new.
      if (corpus!.isForeign && expected.includes(undefined)) return;
      expect(new Set(found.map(({ check }) => check))).toEqual(
        new Set(expected.filter((check) => check !== 'none')),
      );
    });

  for (const entry of entries)
    it(`warns about ${entry.file} exactly as stated`, () => {
      const { checks, warnings: made } = judge(entry);
      const isRead = checks.some(({ check }) => check === 'psd2-roles');
      if (!isRead) return;
      const spoken = warnings.map(({ check }) => check);
      expect(made.map(({ check }) => check).filter((check) => spoken.includes(check))).toEqual(
        warnings.filter(({ words }) => entry.warn.includes(words)).map(({ check }) => check),
      );
    });

  it('explains each refusal with the clause and what to ask the issuer for', () => {
    const refused = entries.map(judge).filter(({ accepted }) => !accepted);
    for (const { failure } of refused) expect(failure?.message).toMatch(/^[a-z0-9-]+: .+\. .+\(.*\)$/s);
  });
});
