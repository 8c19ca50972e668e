import { randomBytes } from 'node:crypto';
import { openerOf, seal, unseal } from './sealed-column.ts';

const key = randomBytes(32);
const context = 'subscription/42';

describe('a sealed column', () => {
  it('is sealed with the first of several keys, and opens with any of them', () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    const [one, other] = [seal([older, newer], 'one', context), seal([newer, older], 'other', context)];
    expect(unseal(older, one, context).toString()).toBe('one');
    expect(unseal(newer, other, context).toString()).toBe('other');
    expect(unseal([newer, older], one, context).toString()).toBe('one');
    expect([one, other].map((sealed) => openerOf([newer, older], sealed, context))).toEqual([1, 0]);
    expect(openerOf([newer], one, context)).toBeUndefined();
    expect(openerOf([newer, older], one, 'subscription/43')).toBeUndefined();
    expect(openerOf([older], Buffer.alloc(0), context)).toBeUndefined();
    expect(() => unseal([newer, key], one, context)).toThrow('does not open');
  });

  it('opens with the same key and context', () => {
    expect(unseal(key, seal(key, 'secret', context), context).toString()).toBe('secret');
    expect(unseal(key, seal(key, Buffer.alloc(0), context), context)).toHaveLength(0);
  });

  it('has new ciphertext each time, without plaintext', () => {
    const one = seal(key, 'secret', context);
    expect(one.equals(seal(key, 'secret', context))).toBe(false);
    expect(one.includes('secret')).toBe(false);
  });

  it('does not open in another row or with another key', () => {
    const sealed = seal(key, 'secret', context);
    expect(() => unseal(key, sealed, 'subscription/43')).toThrow('does not open');
    expect(() => unseal(randomBytes(32), sealed, context)).toThrow('does not open');
  });

  it('does not open when any byte was changed or cut', () => {
    const sealed = seal(key, 'secret', context);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(() => unseal(key, changed, context)).toThrow(/does not open|not a sealed value/);
      expect(() => unseal(key, sealed.subarray(0, at), context)).toThrow(/does not open|not a sealed value/);
    }
  });
});
