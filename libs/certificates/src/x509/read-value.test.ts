import {
  AuthorityInfoAccessSyntax,
  AuthorityKeyIdentifier,
  CRLDistributionPoints,
} from '@peculiar/asn1-x509';
import { DerError, readDer } from '../der/der-reader.ts';
import { readValue } from './read-value.ts';

const node = (hex: string) => readDer(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const OCSP = '0608 2b06010505073001';

describe('an extension that @peculiar/asn1-x509 reads', () => {
  it('says what its bytes say', () => {
    const [description] = readValue(AuthorityInfoAccessSyntax, node(`300f 300d ${OCSP} 8601 61`));
    expect(description).toMatchObject({
      accessMethod: '1.3.6.1.5.5.7.48.1',
      accessLocation: { uniformResourceIdentifier: 'a' },
    });
  });

  it.each<[string, new () => unknown, string]>([
    ['an unknown field', AuthorityInfoAccessSyntax, `3011 300f ${OCSP} 8601 61 0500`],
    ['a number in place of an identifier', AuthorityInfoAccessSyntax, '3008 3006 020100 8601 61'],
    ['a kind of name that is none', AuthorityInfoAccessSyntax, `300f 300d ${OCSP} 8901 61`],
    ['fields in the wrong order', AuthorityKeyIdentifier, '3006 820101 800101'],
    ['an unknown field of a point', CRLDistributionPoints, '300b 3009 a005 a003 860161 8500'],
    ['another type', CRLDistributionPoints, '0500'],
  ])('is refused with %s', (_what, schema, hex) => {
    expect(() => readValue(schema, node(hex))).toThrow(DerError);
  });
});
