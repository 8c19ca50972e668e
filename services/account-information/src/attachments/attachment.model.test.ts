import { dispositionOf, isFileName, isOfType, MEDIA_TYPES, type MediaType } from './attachment.model.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe('the bytes of an attachment match its media type (§2.4)', () => {
  const good: [MediaType, string][] = [
    ['application/pdf', '255044462d312e37'],
    ['image/jpeg', 'ffd8ffe000104a46'],
    ['image/png', '89504e470d0a1a0a 0000'],
    ['image/webp', '52494646 12345678 57454250'],
    ['image/heic', '00000018 66747970 68656963'],
    ['image/heic', '00000018 66747970 6d696631'],
  ];

  it.each(good)('%s: %s', (mediaType, hex) => {
    const whole = bytes(hex);
    expect(MEDIA_TYPES.filter((type) => isOfType(whole, type))).toEqual([mediaType]);
    for (let at = mediaType === 'image/heic' ? 4 : 0; at < 3; at++) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 1;
      expect(isOfType(changed, mediaType)).toBe(false);
    }
  });

  it('and match no other: pages, programs, archives, text, nothing', () => {
    for (const content of ['<!doctype html>', '<svg>', 'MZ', '\x7fELF', 'PK\x03\x04', 'GIF89a', '%PD', ''])
      expect(MEDIA_TYPES.filter((type) => isOfType(Buffer.from(content, 'latin1'), type))).toEqual([]);
    expect(isOfType(bytes('52494646 12345678 41564920'), 'image/webp')).toBe(false);
    expect(isOfType(bytes('00000018 66747970 69736f6d'), 'image/heic')).toBe(false);
  });
});

describe('the name of an attachment (§4.3)', () => {
  it.each(['a', 'Kvittering.pdf', 'Årsrapport 2026 (æøå).pdf', '領収書.png', 'x'.repeat(150), "it's.pdf"])(
    'may be %j',
    (name) => expect(isFileName(name)).toBe(true),
  );

  it.each([
    '',
    '.htaccess',
    '..',
    ' a',
    'a ',
    'a/b',
    'a\\b',
    'a\nb',
    'a\u0000',
    'a\u007f',
    'a\u202egpj.exe',
    'a\u2066',
    'a\ud800',
    'x'.repeat(151),
  ])('is never %j', (name) => expect(isFileName(name)).toBe(false));

  it.each([
    ['Kvittering.pdf', `attachment; filename="Kvittering.pdf"; filename*=UTF-8''Kvittering.pdf`],
    ['Åre "x".pdf', `attachment; filename="Are _x_.pdf"; filename*=UTF-8''%C3%85re%20%22x%22.pdf`],
    ["it's(1)*.pdf", `attachment; filename="it_s(1)_.pdf"; filename*=UTF-8''it%27s%281%29%2A.pdf`],
    ['領;=.png', `attachment; filename="___.png"; filename*=UTF-8''%E9%A0%98%3B%3D.png`],
  ])('of %s is given in ASCII and in UTF-8', (name, header) => expect(dispositionOf(name)).toBe(header));
});
