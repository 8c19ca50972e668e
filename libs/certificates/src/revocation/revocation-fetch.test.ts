import { limitFetch, type RevocationAnswer } from './revocation-fetch.ts';

const request = { url: 'http://ca.example', method: 'GET', headers: {}, maxBytes: 1, timeLimit: 1 } as const;

describe('requests at a time', () => {
  it('are no more than allowed; the others are not made, and may be later', async () => {
    const { promise, resolve } = Promise.withResolvers<RevocationAnswer>();
    let made = 0;
    const fetch = limitFetch(() => ((made += 1), promise), 2);
    const running = [fetch(request), fetch(request)];
    expect(await fetch(request)).toEqual({ fault: expect.stringContaining('at once'), isTemporary: true });
    expect(made).toBe(2);
    resolve({ bytes: Buffer.alloc(0) });
    await Promise.all(running);
    expect(await fetch(request)).toHaveProperty('bytes');
  });
});
