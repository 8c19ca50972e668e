import { isUnavailable } from './unavailable.ts';

const coded = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });

describe('isUnavailable', () => {
  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    '08006',
    '57P01',
    '57014',
    '53300',
    '40P01',
    'P1001',
    'P2024',
    '28P01',
    '28000',
    'P1000',
    'P1011',
  ])('says "later" for %s', (code) => {
    expect(isUnavailable(coded(code))).toBe(true);
  });

  it.each(['23505', '42601', '22P02', 'P2002', 'ERR_INVALID_ARG_TYPE'])('says "wrong" for %s', (code) => {
    expect(isUnavailable(coded(code))).toBe(false);
  });

  it.each([
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'CERT_HAS_EXPIRED',
    'EPROTO',
  ])('says "later" for a peer that proves nothing: %s', (code) => {
    expect(isUnavailable(coded(code))).toBe(true);
  });

  it('reads the driver errors that have no code', () => {
    expect(isUnavailable(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isUnavailable(new Error('timeout exceeded when trying to connect'))).toBe(true);
    expect(isUnavailable(new Error('The server does not support SSL connections'))).toBe(true);
    expect(isUnavailable(new Error('something else'))).toBe(false);
  });

  it('looks into the cause', () => {
    expect(isUnavailable(new Error('query failed', { cause: coded('ECONNREFUSED') }))).toBe(true);
  });

  it('looks into what Prisma hands on of the driver', () => {
    const ofPrisma = (code: string, originalCode: string): Error =>
      Object.assign(coded(code), { meta: { driverAdapterError: { cause: { originalCode } } } });
    expect(isUnavailable(ofPrisma('P2039', '57P01'))).toBe(true);
    expect(isUnavailable(ofPrisma('P2010', '57014'))).toBe(true);
    expect(isUnavailable(ofPrisma('P2039', '42703'))).toBe(false);
    expect(isUnavailable(Object.assign(coded('P2039'), { meta: { driverAdapterError: null } }))).toBe(false);
  });

  it("looks into the errors of Prisma's adapter, whose cause is no error", () => {
    const ofAdapter = (cause: object): Error => new Error('x', { cause });
    expect(isUnavailable(ofAdapter({ kind: 'postgres', originalCode: '57P01' }))).toBe(true);
    for (const kind of ['ConnectionClosed', 'TlsConnectionError', 'AuthenticationFailed'])
      expect(isUnavailable(ofAdapter({ kind }))).toBe(true);
    expect(isUnavailable(ofAdapter({ kind: 'postgres', originalCode: '42703' }))).toBe(false);
  });

  it('knows a client of Prisma that could not be opened', () => {
    expect(isUnavailable(Object.assign(new Error('x'), { errorCode: 'P1001' }))).toBe(true);
    expect(isUnavailable(Object.assign(new Error('x'), { errorCode: 'P1012' }))).toBe(false);
  });

  it('takes anything', () => {
    expect(isUnavailable(undefined)).toBe(false);
    expect(isUnavailable('ECONNREFUSED')).toBe(false);
  });
});
