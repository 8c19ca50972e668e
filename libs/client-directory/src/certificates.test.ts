import { certificateOf, liveCertificates } from './certificates.ts';

const end = new Date('2026-06-01T12:00:00Z');
const notAfter = BigInt(end.getTime() / 1_000);
const short = { thumbprint: 'a', notAfter, roles: ['PSP_AI'] };
const long = { thumbprint: 'b', notAfter: notAfter + 3_600n, roles: ['PSP_AI', 'PSP_PI'] };
const client = { certificates: [short, long], deleted: false };

describe('the certificates of a client (§2.1, §5.5)', () => {
  it('are found by thumbprint, with their roles and their end', () => {
    expect([certificateOf(client, 'a'), certificateOf(client, 'b')]).toEqual([short, long]);
  });

  it('are no others', () => {
    expect(['c', 'A', '', 'ab'].map((thumbprint) => certificateOf(client, thumbprint))).toEqual(
      Array<undefined>(4).fill(undefined),
    );
  });

  it.each([
    [-1, [short, long]],
    [60_000, [short, long]],
    [60_001, [long]],
    [3_660_000, [long]],
    [3_660_001, []],
  ])(
    '%d ms after the end of the first, those live that have ended a minute ago at most (§5.1)',
    (ms, live) => {
      expect(liveCertificates(client, new Date(end.getTime() + ms))).toEqual(live);
    },
  );

  it('do not live when the client is deleted', () => {
    expect(liveCertificates({ ...client, deleted: true }, end)).toEqual([]);
  });
});
