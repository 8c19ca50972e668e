import { tokenLifetime } from './token-lifetime.model.ts';

const now = new Date('2026-01-01T00:00:00.700Z');
const seconds = Date.parse('2026-01-01T00:00:00Z') / 1_000;

describe('the lifetime of an access token (§4.1)', () => {
  it('is at least a second, also at the end of a certificate', () => {
    const certificateNotAfter = Date.parse('2025-12-31T23:59:30Z');
    expect(tokenLifetime({ now, lifetimeMs: 3_600_000, certificateNotAfter }).expiresAt).toBe(seconds + 1);
  });

  it('ends with the consent that it acts under, in the second before', () => {
    const certificateNotAfter = Date.parse('2026-03-01T00:00:00Z');
    const consentValidUntil = new Date('2026-01-01T00:10:00.900Z');
    const options = { now, lifetimeMs: 3_600_000, certificateNotAfter, consentValidUntil };
    expect(tokenLifetime(options).expiresAt).toBe(seconds + 600);
    expect(tokenLifetime({ ...options, lifetimeMs: 60_000 }).expiresAt).toBe(seconds + 60);
  });
});
