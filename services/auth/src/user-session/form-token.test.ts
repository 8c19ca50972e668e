import { formToken } from './form-token.ts';

describe('the token of a form (§5.9)', () => {
  const purpose = { key: Buffer.alloc(32, 1), secret: 'secret', about: ['approve', 'request', 'user'] };

  it('depends on our key, the browser and every covered value', () => {
    const tokens = [
      purpose,
      { ...purpose, key: Buffer.alloc(32, 2) },
      { ...purpose, secret: 'another' },
      { ...purpose, about: ['refuse', 'request', 'user'] },
      { ...purpose, about: ['approve', 'request', 'another'] },
      { ...purpose, about: ['approve', 'request'] },
      { ...purpose, secret: 'secretapprove', about: ['request', 'user'] },
    ].map(formToken);
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(formToken({ ...purpose })).toBe(tokens[0]);
  });
});
