import { CAPTURED, PRESENTED } from '../test/captured-headers.ts';
import { WRITTEN } from '../test/written-headers.ts';
import { EDGE_FORMATS, type EdgeFormat, isOfAnotherFormat } from './edge-format.ts';
import { FormFault } from './form-fault.ts';

const presented = PRESENTED.map((der) => Buffer.from(der, 'base64'));
const formats = Object.keys(EDGE_FORMATS) as EdgeFormat[];
const sequence = (length: number): Buffer => Buffer.concat([Buffer.of(0x30, length), Buffer.alloc(length)]);

function read(format: EdgeFormat, headers: Readonly<Record<string, string>>): readonly string[] {
  const row = EDGE_FORMATS[format];
  const certificates = row.read(headers[row.certificate]!, headers[row.chain ?? ''] ?? '');
  return certificates.map((der) => Buffer.from(der).toString('base64'));
}

describe('headers of real edges are read to the byte (§5.1)', () => {
  it.each([
    ['nginx', 1],
    ['haproxy', 3],
    ['traefik', 3],
    ['xfcc', 3],
  ] as const)('%s: %i of the three certificates presented', (format, count) => {
    expect(read(format, CAPTURED[format])).toEqual(PRESENTED.slice(0, count));
  });

  it.each(formats)('%s: what an edge of its kind writes', (format) => {
    expect(read(format, WRITTEN[format](presented))).toEqual(
      PRESENTED.slice(0, format === 'nginx' ? 1 : undefined),
    );
  });

  it.each(['rfc9440', 'haproxy'] as const)(
    '%s: a leaf alone, with a header for the chain that is empty',
    (format) => {
      expect(read(format, WRITTEN[format](presented.slice(0, 1)))).toEqual(PRESENTED.slice(0, 1));
    },
  );
});

const CERT = /Cert="[^"]*"/.exec(CAPTURED.xfcc['x-forwarded-client-cert'])![0];
const CHAIN = /Chain="[^"]*"/.exec(CAPTURED.xfcc['x-forwarded-client-cert'])![0];

describe('the element of x-forwarded-client-cert', () => {
  it.each([
    ['a leaf alone', CERT, 1],
    ['the chain alone', CHAIN, 3],
    ['other keys in any order, and a quoted quote', `${CHAIN};Subject="CN=a\\"b,;c";Hash=0a;${CERT}`, 3],
    ['keys in another case', `hash=0a;cert=${CERT.slice(5)}`, 1],
    ['values without quotes', CERT.replaceAll('"', ''), 1],
  ])('accepts %s', (_what, value, count) => {
    expect(read('xfcc', { 'x-forwarded-client-cert': value })).toEqual(PRESENTED.slice(0, count));
  });

  it.each([
    ['a second element', `${CERT},By=x;${CERT}`],
    ['an empty second element', `${CERT},`],
  ])('rejects %s, which names several callers', (_what, value) => {
    expect(() => read('xfcc', { 'x-forwarded-client-cert': value })).toThrow('several-callers');
  });

  const other = CERT.replace('Cert=', 'Chain=').replace('MIID', 'MIIE');
  it.each([
    ['nothing', ''],
    ['a hash alone', 'Hash=0a'],
    ['a key twice', `${CERT};${CERT}`],
    ['a key twice in another case', `${CERT};cert=""`],
    ['an empty leaf', 'Cert=""'],
    ['two certificates as leaf', CHAIN.replace('Chain=', 'Cert=')],
    ['a leaf that the chain does not begin with', `${CERT};${other}`],
    ['an open quote', CERT.slice(0, -1)],
    ['no key', CERT.slice(5)],
    ['a semicolon at the end', `${CERT};`],
    ['a blank between pairs', `Hash=0a; ${CERT}`],
    ['text after a quote', `${CERT}x`],
  ])('rejects %s', (_what, value) => {
    expect(() => read('xfcc', { 'x-forwarded-client-cert': value })).toThrow('form');
  });
});

describe('a certificate in percent-encoded PEM', () => {
  const good = CAPTURED.nginx['ssl-client-cert'];
  it.each([
    ['escapes in lower case', good.replaceAll(/%../g, (escape) => escape.toLowerCase())],
    ['no line end after the last mark', good.slice(0, -3)],
    ['a body on one line', good.replaceAll(/(?<![-])%0A(?!-)/g, '')],
  ])('accepts %s', (_what, value) => {
    expect(read('nginx', { 'ssl-client-cert': value })).toEqual(PRESENTED.slice(0, 1));
  });

  it.each([
    ['nothing', ''],
    ['a blank', ' '],
    ['PEM that is not encoded', decodeURIComponent(good)],
    ['a plus that is not encoded', good.replace('%2F', '+')],
    ['an escape that is cut off', good.slice(0, -1)],
    ['an escape of no hexadecimal digits', good.replace('%0A', '%0G')],
    ['an escape of another character', good.replace('%0A', '%0D%0A')],
    ['an escape that is no UTF-8', good.replace('%0A', '%FF')],
    ['a NUL', good.replace('%0A', '%00')],
    ['a double escape', good.replaceAll('%', '%25')],
    ['no mark at the end', good.split('-----END')[0]!],
    ['another mark', good.replaceAll('CERTIFICATE', 'CERTIFICATES')],
    ['a private key', good.replaceAll('CERTIFICATE', 'PRIVATE%20KEY')],
    ['text before the mark', `x${good}`],
    ['text after the mark', `${good}x`],
    ['marks around nothing', '-----BEGIN%20CERTIFICATE-----%0A%0A-----END%20CERTIFICATE-----%0A'],
    ['base64 that is cut off', good.replace('%0A-----END', 'A%0A-----END')],
    ['two certificates', good + good],
  ])('rejects %s', (_what, value) => {
    expect(() => read('nginx', { 'ssl-client-cert': value })).toThrow('form');
  });
});

describe('base64 without marks', () => {
  const [leaf, issuing] = PRESENTED as [string, string];
  it('accepts blanks around the commas of a chain', () => {
    expect(read('traefik', { 'x-forwarded-tls-client-cert': `${leaf}, ${issuing}` })).toEqual([
      leaf,
      issuing,
    ]);
  });

  it.each([
    ['an element that is empty', `${leaf},`],
    ['a character of another alphabet', leaf.replaceAll('/', '_')],
    ['padding that is missing', 'MAA'],
    ['stray bits', 'MAB='],
    ['percent escapes', leaf.replace('/', '%2F')],
    ['a PEM mark', `-----BEGIN CERTIFICATE-----${leaf}`],
  ])('rejects %s', (_what, value) => {
    expect(() => read('traefik', { 'x-forwarded-tls-client-cert': value })).toThrow('form');
    expect(() => read('haproxy', { 'x-ssl-client-cert': value })).toThrow('form');
  });

  it.each(['traefik', 'haproxy', 'rfc9440', 'xfcc'] as const)('is refused when it is empty: %s', (format) => {
    const { certificate } = EDGE_FORMATS[format];
    expect(() => read(format, { [certificate]: '' })).toThrow('form');
    expect(() => read(format, { [certificate]: ' ' })).toThrow('form');
  });
});

describe('concatenated certificates', () => {
  const chainOf = (...parts: readonly Uint8Array[]) => ({
    'x-ssl-client-cert': PRESENTED[0]!,
    'x-ssl-client-chain': Buffer.concat(parts).toString('base64'),
  });

  it.each([
    ['0', Buffer.of(0x30, 0)],
    ['127, in short form', sequence(127)],
    ['128, in one octet', Buffer.concat([Buffer.of(0x30, 0x81, 128), Buffer.alloc(128)])],
    ['256, in two octets', Buffer.concat([Buffer.of(0x30, 0x82, 1, 0), Buffer.alloc(256)])],
    ['1, in three octets', Buffer.of(0x30, 0x83, 0, 0, 1, 0)],
  ])('are separated by their length: %s', (_what, first) => {
    const second = sequence(3);
    expect(read('haproxy', chainOf(first, second)).slice(1)).toEqual(
      [first, second].map((der) => der.toString('base64')),
    );
  });

  it.each([
    ['what is no sequence', Buffer.of(0x31, 0)],
    ['a length beyond the end', Buffer.of(0x30, 2, 0)],
    ['no length', Buffer.of(0x30, 1, 0, 0x30)],
    ['an indefinite length', Buffer.of(0x30, 0x80, 0, 0)],
    ['a length of four octets', Buffer.of(0x30, 0x84, 0, 0, 0, 1, 0)],
    ['a length that is cut off', Buffer.of(0x30, 0x82, 1)],
    ['an octet after the last', Buffer.concat([sequence(3), Buffer.of(0)])],
  ])('rejects %s', (_what, bytes) => {
    expect(() => read('haproxy', chainOf(bytes))).toThrow('form');
  });
});

describe('a chain has at most ten certificates', () => {
  const many = (count: number): readonly Buffer[] => Array.from({ length: count }, () => sequence(3));

  it.each(['rfc9440', 'xfcc', 'traefik', 'haproxy'] as const)('%s', (format) => {
    expect(read(format, WRITTEN[format](many(10)))).toHaveLength(10);
    expect(() => read(format, WRITTEN[format](many(11)))).toThrow('too-many');
  });
});

describe('the headers of the formats', () => {
  it('differ, so that one header identifies the format', () => {
    const names = formats.flatMap((format) => [EDGE_FORMATS[format].certificate, EDGE_FORMATS[format].chain]);
    const given = names.filter((name) => name !== undefined);
    expect(new Set(given).size).toBe(given.length);
  });

  it.each(formats)(
    '%s: its own are its own, those of the others and any with an underscore are not',
    (format) => {
      for (const other of formats) {
        const { certificate, chain } = EDGE_FORMATS[other];
        for (const name of [certificate, ...(chain === undefined ? [] : [chain])]) {
          expect(isOfAnotherFormat(name, format)).toBe(other !== format);
          expect(isOfAnotherFormat(name.toUpperCase(), format)).toBe(other !== format);
          expect(isOfAnotherFormat(name.replace('-', '_'), format)).toBe(true);
        }
      }
      expect(['host', 'x-request-id', 'x-edge-secret'].some((name) => isOfAnotherFormat(name, format))).toBe(
        false,
      );
    },
  );
});

describe('any content of a header', () => {
  /** Pseudorandom numbers, the same in every run. */
  function* numbers(seed: number): Generator<number, never> {
    for (let state = seed; ;) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      yield state >> 8;
    }
  }

  const spoilt = (value: string, next: () => number): string => {
    const at = next() % (value.length + 1);
    const signs = '%",;=\\:\n +/AZ-';
    const sign = signs[next() % signs.length]!;
    const cut = next() % 40;
    return [
      value.slice(0, at) + sign + value.slice(at),
      value.slice(0, at) + value.slice(at + cut),
      value.slice(at),
      value.slice(0, at) + value.slice(0, cut) + value.slice(at),
    ][next() % 4]!;
  };

  it.each(formats)('%s: is read as certificates or refused, and nothing else happens', (format) => {
    const random = numbers(9);
    const next = (): number => random.next().value;
    const row = EDGE_FORMATS[format];
    const good = WRITTEN[format](presented);
    const [certificate, chain] = [good[row.certificate]!, good[row.chain ?? ''] ?? ''];
    let refused = 0;
    for (let i = 0; i < 2_000; i += 1)
      try {
        const read = row.read(spoilt(certificate, next), i % 2 === 0 ? chain : spoilt(chain, next));
        expect(read.length).toBeGreaterThan(0);
      } catch (error) {
        if (!(error instanceof FormFault)) throw error;
        refused += 1;
      }
    expect(refused).toBeGreaterThan(1_000);
  });

  const longest = 48 * 1024;
  it.each([
    ['quotes that are escaped', `Chain="${'\\"'.repeat(longest / 2)}`],
    ['keys', 'a=;'.repeat(longest / 3)],
    ['line ends', `Chain="-----BEGIN%20CERTIFICATE-----${'%0A'.repeat(longest / 3)}"`],
    ['marks', `Chain="${'-----BEGIN%20CERTIFICATE-----%0AA'.repeat(longest / 32)}"`],
    [
      'blocks',
      `Chain="${'-----BEGIN%20CERTIFICATE-----%0AMAA=%0A-----END%20CERTIFICATE-----%0A'.repeat(700)}"`,
    ],
  ])('is rejected at the greatest length: %s', (_what, value) => {
    expect(() => read('xfcc', { 'x-forwarded-client-cert': value })).toThrow(FormFault);
  });
});
