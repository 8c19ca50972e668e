import { readDer } from '../der/der-reader.ts';
import { derElement, derOid, derSequence } from '../der/der-writer.ts';
import { TAG } from '../der/tag.ts';
import { type GeneralName, readGeneralName } from '../x509/general-names.ts';
import { faultOfConstraint, violationOf } from './name-constraints.ts';

const read = (tag: number, contents: Uint8Array) => readGeneralName(readDer(derElement(tag, contents)));
const dns = (text: string) => read(0x82, Buffer.from(text));
const mail = (text: string) => read(0x81, Buffer.from(text));
const uri = (text: string) => read(0x86, Buffer.from(text));
const ip = (...octets: number[]) => read(0x87, Buffer.from(octets));

function directory(...rdns: readonly (readonly [string, string, number?])[]): GeneralName {
  const sets = rdns.map(([type, value, tag = TAG.utf8String]) =>
    derElement(TAG.set, derSequence([derOid(type), derElement(tag, Buffer.from(value))])),
  );
  return read(0xa4, derSequence(sets));
}

const country = '2.5.4.6';
const organization = '2.5.4.10';

type Verdict = 'permitted' | 'refused';

function judge(list: 'permitted' | 'excluded', base: GeneralName, name: GeneralName): Verdict {
  const constraints = { permitted: [], excluded: [], [list]: [base] };
  return violationOf(constraints, [name]) === undefined ? 'permitted' : 'refused';
}

describe('RFC 5280 §4.2.1.10: names under a permitted subtree', () => {
  it.each<[string, GeneralName, GeneralName, Verdict]>([
    ['a host itself', dns('example.com'), dns('example.com'), 'permitted'],
    ['a host beneath, case aside', dns('example.com'), dns('A.b.EXAMPLE.com'), 'permitted'],
    ['a host that only ends alike', dns('example.com'), dns('notexample.com'), 'refused'],
    ['any host under the empty constraint', dns(''), dns('example.com'), 'permitted'],
    ['a wildcard within the subtree', dns('example.com'), dns('*.example.com'), 'permitted'],
    ['a wildcard that reaches beyond it', dns('a.example.com'), dns('*.example.com'), 'refused'],
    ['a mailbox of the host', mail('example.com'), mail('User@EXAMPLE.com'), 'permitted'],
    ['a mailbox of a host beneath', mail('example.com'), mail('user@a.example.com'), 'refused'],
    ['a mailbox beneath a domain', mail('.example.com'), mail('user@a.example.com'), 'permitted'],
    ['a mailbox of the domain itself', mail('.example.com'), mail('user@example.com'), 'refused'],
    ['the very mailbox', mail('user@example.com'), mail('user@example.COM'), 'permitted'],
    [
      'a mailbox that differs in case before the @',
      mail('user@example.com'),
      mail('USER@example.com'),
      'refused',
    ],
    ['a URI of the host', uri('example.com'), uri('https://example.com:8443/path'), 'permitted'],
    ['a URI of a host beneath', uri('example.com'), uri('https://a.example.com/'), 'refused'],
    [
      'a URI that hides its host behind a user',
      uri('example.com'),
      uri('https://example.com@evil.com/'),
      'refused',
    ],
    ['a URI without a host', uri('example.com'), uri('urn:x:y'), 'refused'],
    ['a URI with an address', uri('example.com'), uri('https://192.0.2.1/'), 'refused'],
    ['an IPv4 address inside', ip(192, 0, 2, 0, 255, 255, 255, 0), ip(192, 0, 2, 77), 'permitted'],
    ['an IPv4 address outside', ip(192, 0, 2, 0, 255, 255, 255, 0), ip(192, 0, 3, 77), 'refused'],
    [
      'an IPv6 address under an IPv4 subtree',
      ip(0, 0, 0, 0, 0, 0, 0, 0),
      ip(...Array(16).fill(1)),
      'refused',
    ],
    [
      'a name that begins so',
      directory([country, 'DK']),
      directory([country, 'DK'], [organization, 'A']),
      'permitted',
    ],
    [
      'a name in other case and string type',
      directory([country, 'DK']),
      directory([country, 'dk', TAG.printableString]),
      'permitted',
    ],
    ['another name', directory([country, 'DK']), directory([country, 'SE']), 'refused'],
    [
      'a name in another order',
      directory([country, 'DK']),
      directory([organization, 'A'], [country, 'DK']),
      'refused',
    ],
    ['a name of another kind', dns('example.com'), mail('user@evil.com'), 'permitted'],
  ])('%s', (_, base, name, expected) => {
    expect(judge('permitted', base, name)).toBe(expected);
  });
});

describe('RFC 5280 §4.2.1.10: names under an excluded subtree', () => {
  it.each<[string, GeneralName, GeneralName, Verdict]>([
    ['a host beneath', dns('example.com'), dns('a.example.com'), 'refused'],
    ['a host beside', dns('example.com'), dns('example.org'), 'permitted'],
    ['a wildcard that can stand for an excluded host', dns('a.example.com'), dns('*.example.com'), 'refused'],
    ['a wildcard that cannot', dns('a.b.example.com'), dns('*.example.com'), 'permitted'],
    ['any host under the empty constraint', dns(''), dns('example.com'), 'refused'],
    ['any IPv4 address under 0.0.0.0/0', ip(0, 0, 0, 0, 0, 0, 0, 0), ip(192, 0, 2, 1), 'refused'],
  ])('%s', (_, base, name, expected) => {
    expect(judge('excluded', base, name)).toBe(expected);
  });

  it('refuses a name of a kind that cannot be judged', () => {
    const other = read(0xa0, Buffer.concat([derOid('1.2.3'), derElement(0xa0, Buffer.of(5, 0))]));
    expect(judge('excluded', other, other)).toBe('refused');
    expect(judge('excluded', other, dns('example.com'))).toBe('permitted');
  });
});

describe('RFC 5280 §4.2.1.10: what may stand as a constraint', () => {
  it.each<[string, GeneralName, boolean]>([
    ['a domain', dns('example.com'), true],
    ['nothing', dns(''), true],
    ['a domain with a leading period', dns('.example.com'), false],
    ['a wildcard', dns('*.example.com'), false],
    ['a mail domain with a leading period', mail('.example.com'), true],
    ['a mailbox with two hosts', mail('a@b@example.com'), false],
    ['a URI in full', uri('https://example.com'), false],
    ['an address without a mask', ip(192, 0, 2, 1), false],
    ['a mask with a hole', ip(192, 0, 2, 0, 255, 0, 255, 0), false],
  ])('%s', (_, base, isSound) => {
    expect(faultOfConstraint(base) === undefined).toBe(isSound);
  });
});
