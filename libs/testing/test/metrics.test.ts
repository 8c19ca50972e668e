import { parseMetrics } from '../src/metrics.ts';

const GAUGE = '# HELP a_level Of a test.\n# TYPE a_level gauge\n';
const COUNTER = '# HELP a_total Of a test.\n# TYPE a_total counter\n';

/** Changed lines of a histogram that adds up. */
function histogram(changes: Record<string, string> = {}): string {
  const lines = {
    head: '# HELP h Of a test.\n# TYPE h histogram',
    count: 'h_count{x="1"} 3',
    sum: 'h_sum{x="1"} 4.5',
    first: 'h_bucket{x="1",le="1"} 1',
    second: 'h_bucket{x="1",le="2.5"} 3',
    last: 'h_bucket{x="1",le="+Inf"} 3',
    ...changes,
  };
  return Object.values(lines)
    .filter((line) => line !== '')
    .map((line) => `${line}\n`)
    .join('');
}

describe("Prometheus' text format is read strictly", () => {
  it('with labels, escapes and every form of a number', () => {
    const metrics = parseMetrics(
      `${GAUGE}a_level{x="1",y="a,b=\\"c\\" \\\\ \\n"} -1.5e-7\na_level +Inf\n${COUNTER}a_total 0\n${histogram()}`,
    );
    expect(metrics.families.get('a_level')).toEqual({
      name: 'a_level',
      type: 'gauge',
      help: 'Of a test.',
      series: [
        { name: 'a_level', labels: { x: '1', y: 'a,b="c" \\ \n' }, value: -1.5e-7 },
        { name: 'a_level', labels: {}, value: Infinity },
      ],
    });
    expect([...metrics.families.keys()]).toEqual(['a_level', 'a_total', 'h']);
    expect(metrics.sum('h_bucket', { le: '2.5' })).toBe(3);
    expect(metrics.sum('h_bucket')).toBe(7);
    expect(metrics.sum('h_bucket', { le: '2.5', x: '2' })).toBe(0);
  });

  it.each([
    ['without an end of the last line', 'does not end', `${GAUGE}a_level 1`],
    ['with an empty line', 'no series: ', `${GAUGE}\na_level 1\n`],
    ['with a series of no family', 'before the first family', 'a_level 1\n'],
    ['with a type and no help', 'before the first family', '# TYPE a_level gauge\na_level 1\n'],
    ['with a help and no type', 'no type', '# HELP a_level Of a test.\na_level 1\n'],
    ['with the type of another', 'no type', '# HELP a_level Of a test.\n# TYPE b_level gauge\n'],
    ['with a help without words', 'before the first family', '# HELP a_level \n# TYPE a_level gauge\n'],
    ['with a family twice', 'a_level: twice', GAUGE + COUNTER + GAUGE],
    ['with a series twice', 'a series twice', `${GAUGE}a_level{x="1",y="2"} 1\na_level{y="2",x="1"} 1\n`],
    ['with a series of another family', 'b_level: among', `${GAUGE}b_level 1\n`],
    ['with a label twice', 'no labels', `${GAUGE}a_level{x="1",x="2"} 1\n`],
    ['with a label without quotes', 'no labels', `${GAUGE}a_level{x=1} 1\n`],
    ['with a quote in a label', 'no labels', `${GAUGE}a_level{x="a"b"} 1\n`],
    ['with an unknown escape', 'no labels', `${GAUGE}a_level{x="\\t"} 1\n`],
    ['with a comma at the end', 'no labels', `${GAUGE}a_level{x="1",} 1\n`],
    ['with a dot in a name', 'no series: ', `${GAUGE}a.level 1\n`],
    ['with a moment', 'no series: ', `${GAUGE}a_level 1 1700000000000\n`],
    ['with no number', 'no series: ', `${GAUGE}a_level one\n`],
    ['with what is not known', 'a_level: NaN', `${GAUGE}a_level NaN\n`],
    ['with a counter below zero', 'a_total: -1', `${COUNTER}a_total -1\n`],
    ['with a counter that is not called so', 'of no counter', '# HELP a Of a test.\n# TYPE a counter\na 1\n'],
    [
      'with a gauge that is called a counter',
      'of no gauge',
      '# HELP a_total Of a test.\n# TYPE a_total gauge\na_total 1\n',
    ],
    ['with a histogram without count', 'not whole', histogram({ count: '' })],
    ['with a histogram without sum', 'not whole', histogram({ sum: '' })],
    ['with a histogram without the last bucket', 'add up', histogram({ last: '' })],
    ['with a histogram whose buckets shrink', 'add up', histogram({ first: 'h_bucket{x="1",le="1"} 4' })],
    ['with a histogram whose bounds shrink', 'add up', histogram({ first: 'h_bucket{x="1",le="3"} 1' })],
    ['with a histogram that lost some', 'add up', histogram({ count: 'h_count{x="1"} 4' })],
    ['with a histogram with something else', 'not whole', histogram({ more: 'h{x="1"} 4' })],
  ])('and not %s', (_what, fault, text) => {
    expect(() => parseMetrics(text)).toThrow(fault);
  });
});
