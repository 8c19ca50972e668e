import { type OpaqueToken, opaqueToken, readOpaqueToken } from './opaque-token.model.ts';

const key = Buffer.alloc(32, 1);
const handle: OpaqueToken = {
  kind: 'refresh-token',
  authorizationId: '01234567-89ab-4def-8123-456789abcdef',
  generation: 4_294_967_295,
};

describe('the text of a code or refresh token (§5.9)', () => {
  const text = opaqueToken(key, handle);

  it('is always the same, and can be read with the key', () => {
    expect(opaqueToken(key, { ...handle })).toBe(text);
    expect(readOpaqueToken(key, 'refresh-token', text)).toEqual(handle);
    expect(text).toMatch(/^[A-Za-z0-9_-]{70}$/);
  });

  it('is invalid under another key, as another kind, or changed at any place', () => {
    expect(readOpaqueToken(Buffer.alloc(32, 2), 'refresh-token', text)).toBeUndefined();
    expect(readOpaqueToken(key, 'code', text)).toBeUndefined();
    for (let place = 0; place < text.length; place++) {
      const letter = text[place] === 'A' ? 'B' : 'A';
      const changed = `${text.slice(0, place)}${letter}${text.slice(place + 1)}`;
      expect(readOpaqueToken(key, 'refresh-token', changed)).toBeUndefined();
    }
    for (const other of ['', 'x', `${text}A`, text.slice(1), `${text.slice(0, -1)}=`, ` ${text.slice(1)}`])
      expect(readOpaqueToken(key, 'refresh-token', other)).toBeUndefined();
  });

  it('differs by authorization and by generation', () => {
    const others = [
      opaqueToken(key, { ...handle, generation: 0 }),
      opaqueToken(key, { ...handle, authorizationId: '11234567-89ab-4def-8123-456789abcdef' }),
    ];
    expect(new Set([...others, text]).size).toBe(3);
  });
});
