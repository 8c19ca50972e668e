import { readInstant } from './instant.ts';

const FIRST = '0001-01-01T00:00:00.000Z';
const LAST = '9999-12-31T23:59:59.999Z';

describe('an instant of a caller (§4.3)', () => {
  it.each([
    ['2026-03-01', '2026-03-01T12:00:00.000Z'],
    ['2024-02-29', '2024-02-29T12:00:00.000Z'],
    ['2026-03-01T08:30', '2026-03-01T08:30:00.000Z'],
    ['2026-03-01T08:30Z', '2026-03-01T08:30:00.000Z'],
    ['2026-03-01T08:30:15', '2026-03-01T08:30:15.000Z'],
    ['2026-03-01T08:30:15.5', '2026-03-01T08:30:15.500Z'],
    ['2026-03-01T08:30:15,25Z', '2026-03-01T08:30:15.250Z'],
    ['2026-03-01T00:30:00+02:00', '2026-02-28T22:30:00.000Z'],
    ['2026-03-01T00:30:00-0330', '2026-03-01T04:00:00.000Z'],
    ['2026-03-01T00:30:00+02', '2026-02-28T22:30:00.000Z'],
    ['2026-03-01t08:30:15z', '2026-03-01T08:30:15.000Z'],
    ['2026-03-01T08:30:15.000000000Z', '2026-03-01T08:30:15.000Z'],
    ['0001-01-01', '0001-01-01T12:00:00.000Z'],
    [LAST, LAST],
  ])('%s is %s', (text, instant) => {
    expect(readInstant(text, 'down')).toEqual({ instant });
    expect(readInstant(text, 'up')).toEqual({ instant });
  });

  it.each([
    [
      'Java: ZonedDateTime.toString()',
      '2026-03-01T08:30:15+01:00[Europe/Copenhagen]',
      '2026-03-01T07:30:15.000Z',
    ],
    ['Java: Instant.MIN', '-1000000000-01-01T00:00:00Z', FIRST],
    ['Java: Instant.MAX', '+1000000000-12-31T23:59:59.999999999Z', LAST],
    ['Java: LocalDateTime.MIN', '-999999999-01-01T00:00', FIRST],
    ['Java: OffsetDateTime.MAX', '+999999999-12-31T23:59:59.999999999-18:00', LAST],
    ['Java: LocalDate.MAX', '+999999999-12-31', LAST],
    ['Java: the year 0', '0000-02-29T00:00:00Z', FIRST],
    ['.NET: DateTime.MinValue', '0001-01-01T00:00:00.0000000', FIRST],
    ['.NET: DateTime.MaxValue', '9999-12-31T23:59:59.9999999', LAST],
    ['.NET: DateTimeOffset.MaxValue', '9999-12-31T23:59:59.9999999+00:00', LAST],
    ['.NET: MinValue in Copenhagen', '0001-01-01T00:00:00.0000000+01:00', FIRST],
    ['.NET: MaxValue in New York', '9999-12-31T23:59:59.9999999-05:00', LAST],
    ['Go: time.Time{}', '0001-01-01T00:00:00Z', FIRST],
    ['Java: LocalDateTime.MAX', '+999999999-12-31T23:59:59.999999999', LAST],
    ['Java: the year 1 in Copenhagen', '0001-01-01T00:00+00:53:28[Europe/Copenhagen]', FIRST],
    ['Java: UTC as a zone', '2026-03-01T08:30Z[UTC]', '2026-03-01T08:30:00.000Z'],
    ['Java: an offset as a zone', '2026-03-01T08:30+01:00[GMT+01:00]', '2026-03-01T07:30:00.000Z'],
    ['Java: an offset with seconds', '2026-03-01T08:30:15+01:02:03', '2026-03-01T07:28:12.000Z'],
    ['Python: 1893 in Copenhagen', '1893-01-01T00:00:00+00:50:20', '1892-12-31T23:09:40.000Z'],
    ['Python: datetime.min.isoformat()', '0001-01-01T00:00:00', FIRST],
    ['Python: datetime.max, in UTC', '9999-12-31T23:59:59.999999+00:00', LAST],
    ['JavaScript: new Date(-8.64e15)', '-271821-04-20T00:00:00.000Z', FIRST],
    ['JavaScript: new Date(8.64e15)', '+275760-09-13T00:00:00.000Z', LAST],
    ['JavaScript: an expanded year', '+002026-03-01T08:30:15.000Z', '2026-03-01T08:30:15.000Z'],
    [
      'JavaScript: Temporal.ZonedDateTime',
      '2026-03-01T08:30:15+01:00[Europe/Oslo]',
      '2026-03-01T07:30:15.000Z',
    ],
  ])('%s: %s is %s', (_client, text, instant) => {
    expect(readInstant(text, 'down')).toEqual({ instant });
    expect(readInstant(text, 'up')).toEqual({ instant });
  });

  it('keeps the order of instants finer than a millisecond', () => {
    const read = (text: string, finer: 'down' | 'up') => readInstant(text, finer);
    expect(read('2026-03-01T08:30:15.123456Z', 'down')).toEqual({ instant: '2026-03-01T08:30:15.123Z' });
    expect(read('2026-03-01T08:30:15.123456Z', 'up')).toEqual({ instant: '2026-03-01T08:30:15.124Z' });
    expect(read('2026-03-01T08:30:15.123000Z', 'up')).toEqual({ instant: '2026-03-01T08:30:15.123Z' });
  });

  const FORM = /ISO 8601 date or date-time such as/;
  it.each([
    ['', FORM],
    ['now', FORM],
    ['2026', FORM],
    ['20260301T083015Z', FORM],
    ['2026-W10-7', FORM],
    ['2026-060', FORM],
    // Go: time.Unix(1<<63-62135596801, 999999999)
    ['292277024627-12-06T15:30:07.999999999Z', FORM],
    // Python: an offset with a fraction.
    ['2026-03-01T08:30:15+01:01:01.500000', FORM],
    ['2026-03-01Z', FORM],
    ['2026-03-01T08Z', FORM],
    ['2026-03-01T08:30:15[Europe/Oslo]', FORM],
    ['Sun Mar 01 2026 08:30:15 GMT+0100', FORM],
    [`2026-03-01T08:30:15.${'1'.repeat(19)}Z`, FORM],
    ['1767225600000', /not a number/],
    ['1767225600', /not a number/],
    ['1767225600.123', /not a number/],
    ['2026-03-01T12:00:00 02:00', /plus sign.*%2B/],
    ['2026-03-01T12:00:00.5 0200', /plus sign.*%2B/],
    ['2026-03-01 12:00:00', /T between/],
    ['2026-03-01 12:00:00+00:00', /T between/],
    ['2026-13-01', /calendar/],
    ['2026-02-29', /calendar/],
    ['2026-04-31T00:00:00Z', /calendar/],
    ['2026-00-10', /calendar/],
    ['+275760-02-30T00:00:00Z', /calendar/],
    ['2026-03-01T24:00:00Z', /00 to 23/],
    ['2026-03-01T12:60:00Z', /00 to 23/],
    ['2026-12-31T23:59:60Z', /00 to 23/],
    ['2026-03-01T12:00:00+24:00', /zone/],
    ['2026-03-01T12:00:00-01:60', /zone/],
    ['2026-03-01T12:00:00-01:00:60', /zone/],
  ])('rejects %j and names the fault', (text, words) => {
    const read = readInstant(text, 'down');
    expect('fault' in read && read.fault.in('en')).toMatch(words);
  });
});
