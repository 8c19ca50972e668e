import { Lease } from './lease.model.ts';

describe('a replica decides from memory only under a live lease (deleted clients lose access everywhere, §4.2)', () => {
  it('does not hold before the first echo', () => {
    const lease = new Lease(0);
    lease.next(0);
    expect(lease.holds(0)).toBe(false);
  });

  it('counts from the sending of the echoed request, not from the arrival of the echo', () => {
    const lease = new Lease(0);
    const nonce = lease.next(1_000);
    lease.renew(nonce, 5_000);
    expect(lease.holds(5_999)).toBe(true);
    expect(lease.holds(6_000)).toBe(false);
  });

  it('is not extended by the echo of an older request', () => {
    const lease = new Lease(0);
    const older = lease.next(0);
    const newer = lease.next(1_000);
    lease.renew(newer, 5_000);
    lease.renew(older, 60_000);
    expect(lease.holds(6_000)).toBe(false);
  });

  it('is not extended by an unknown nonce', () => {
    const lease = new Lease(0);
    lease.next(0);
    lease.renew(7n, 5_000);
    expect(lease.holds(1)).toBe(false);
  });

  it('has the age of the last echoed request, or of the wait for the first', () => {
    const lease = new Lease(300);
    expect(lease.age(1_000)).toBe(700);
    const older = lease.next(1_000);
    const newer = lease.next(2_000);
    lease.renew(newer, 5_000);
    lease.renew(older, 5_000);
    expect(lease.age(2_400)).toBe(400);
    lease.end();
    expect(lease.age(9_000)).toBe(7_000);
  });
});
