import { windowOf } from './replay.model.ts';

const NOW = new Date('2026-11-22T12:00:00.000Z');
const KNOWN = { now: NOW, firstDay: '2026-11-01' };
const at = (text: string): Date => new Date(text);

describe('the range of a replay (§4.6)', () => {
  it.each([
    ['2026-11-22T11:59:59.999Z', undefined],
    ['2026-11-15T12:00:00.000Z', undefined],
    ['2026-11-15T12:00:00.000Z', '2026-11-22T12:00:00.000Z'],
    ['2026-11-01T00:00:00.000Z', '2026-11-08T00:00:00.000Z'],
    ['2026-11-22T11:00:00.000Z', '2026-11-22T11:00:00.001Z'],
  ])('from %s to %s', (from, to) => {
    expect(windowOf({ from: at(from), to: to === undefined ? undefined : at(to) }, KNOWN)).toEqual({
      from: at(from),
      to: to === undefined ? NOW : at(to),
    });
  });

  it.each([
    ['2026-11-22T12:00:00.000Z', undefined, 'to', 'must be after from'],
    ['2026-11-22T12:00:00.001Z', undefined, 'from', 'is yet to come'],
    ['2026-11-22T11:00:00.000Z', '2026-11-22T12:00:00.001Z', 'to', 'is yet to come'],
    ['2026-11-22T11:00:00.000Z', '2026-11-22T11:00:00.000Z', 'to', 'must be after from'],
    ['2026-11-15T11:59:59.999Z', undefined, 'to', 'is more than 7 days after from'],
    [
      '2026-10-31T23:59:59.999Z',
      '2026-11-02T00:00:00.000Z',
      'from',
      'is before 2026-11-01: older events are not kept',
    ],
  ])('not from %s to %s', (from, to, path, message) => {
    const asked = { from: at(from), to: to === undefined ? undefined : at(to) };
    let refusal: unknown;
    try {
      windowOf(asked, KNOWN);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ code: 'FORMAT_ERROR', details: [{ path }] });
    const { details } = refusal as { details: { text: { in(language: 'en'): string } }[] };
    expect(details[0]!.text.in('en')).toBe(message);
  });
});
