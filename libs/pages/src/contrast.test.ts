import { contrast, readableShade } from './contrast.ts';

describe('a colour of the bank (§5.9)', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#767676', '#ffffff', 4.54],
    ['#0a5aa8', '#0a5aa8', 1],
  ])('%s on %s has a contrast of %d', (one, other, expected) => {
    expect(contrast(one, other)).toBeCloseTo(expected, 2);
    expect(contrast(other, one)).toBeCloseTo(expected, 2);
  });

  it.each(['#ffffff', '#ffee00', '#ff6200', '#e60028', '#00a651', '#000000', '#808080'])(
    'is readable in light and dark: %s',
    (color) => {
      const light = readableShade(color, { on: ['#ffffff', '#eef1f5'], end: '#000000' });
      const dark = readableShade(color, { on: ['#1a212b', '#10151c'], end: '#ffffff' });
      expect(contrast(light, '#eef1f5')).toBeGreaterThanOrEqual(4.5);
      expect(contrast(dark, '#1a212b')).toBeGreaterThanOrEqual(4.5);
    },
  );

  it('stays as it is where it is readable', () => {
    expect(readableShade('#0a5aa8', { on: ['#ffffff'], end: '#000000' })).toBe('#0a5aa8');
  });
});
