import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promtoolProgram } from '@kontoport/embedded/prometheus';
import { describeWith } from '@kontoport/testing/describe-with';
import { parse } from 'yaml';
import { isMeasured, labelsIn, MEASURED, metricsIn } from './promql.ts';

const FILES = join(import.meta.dirname, '../../../charts/kontoport/files');

interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig?: {
    defaults: {
      unit: string;
      noValue?: string;
      custom?: { axisSoftMax?: number; showPoints?: string };
      thresholds: { steps: { color: string; value: number | null }[] };
    };
  };
  options?: {
    legend?: { placement: string; sortBy: string; sortDesc: boolean; calcs: string[] };
    orientation?: string;
  };
  targets?: { refId: string; expr: string; legendFormat: string; datasource: { uid: string } }[];
}

interface Dashboard {
  uid: string;
  title: string;
  templating: { list: { name: string; query: unknown }[] };
  panels: Panel[];
}

const dashboards = readdirSync(join(FILES, 'dashboards')).map((file) => ({
  file,
  ...(JSON.parse(readFileSync(join(FILES, 'dashboards', file), 'utf8')) as Dashboard),
}));

/** The expressions as Prometheus gets them when nothing is chosen. */
const asked = ({ panels }: Dashboard): string[] =>
  panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr.replaceAll('$__rate_interval', '1m').replaceAll('$__range', '6h').replaceAll('$namespace', '.*'),
    ),
  );

const rules = readdirSync(join(FILES, 'rules')).flatMap((file) =>
  (
    parse(readFileSync(join(FILES, 'rules', file), 'utf8')) as {
      groups: { rules: { record?: string; alert?: string; expr: string }[] }[];
    }
  ).groups.flatMap((group) => group.rules),
);
const recorded = new Set(rules.flatMap(({ record }) => record ?? []));

/** What the stores of metrics add to every target, and what the rules name. */
const ADDED = ['namespace', 'job', 'instance', 'le', 'interface'];

/** The labels by which an expression gathers, and those that its legend shows. */
const gatheredIn = (expr: string): string[] =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(/,\s*/));
const shownIn = (legend: string): string[] =>
  [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);

/** `rate5m` and `ratio1h` of an interface are the same to who looks; so are the parts of a histogram. */
const withoutWindow = (name: string): string =>
  name.replace(/:(rate|ratio)\d+[mhd]$/, '').replace(/_(bucket|count|sum)$/, '');

/** What tells the lines of an expression apart: the labels of its outermost gathering. */
const linesBy = (expr: string): string[] =>
  (/\bby \(([^)]*)\)/.exec(expr)?.[1] ?? '').split(/,\s*/).filter((label) => label !== '' && label !== 'le');

/** The unit that the values of an expression have, by what it is made of. */
function unitOf(expr: string): string {
  if (expr.includes('kontoport_certificate_expiration_timestamp_seconds'))
    return expr.endsWith(' / 86400') ? 'suffix:days' : 's';
  if (expr.includes('histogram_quantile')) return 's';
  if (/:ratio\d/.test(expr) || /\)\s*\/\s*sum by/.test(expr)) return 'percentunit';
  if (/interface_requests:rate|rate\((http_server|rpc_client)\w+_count/.test(expr)) return 'reqps';
  // Seconds of each second are a share; but the processor has more than one.
  if (expr.includes('process_cpu_time_seconds_total')) return 'short';
  if (/rate\(\w+_seconds_(sum|total)\{/.test(expr)) return 'percentunit';
  if (expr.includes('rate(')) return 'suffix:/s';
  const [metric = ''] = metricsIn(expr);
  return metric.endsWith('_seconds') ? 's' : metric.endsWith('_bytes') ? 'bytes' : 'short';
}

const touch = ({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

describe('every dashboard', () => {
  it('of them shows what each alert is about', () => {
    const shown = new Set(dashboards.flatMap(asked).flatMap(metricsIn).map(withoutWindow));
    const about = rules.filter(({ alert }) => alert !== undefined).flatMap(({ expr }) => metricsIn(expr));
    expect([...new Set(about.map(withoutWindow))].filter((name) => !shown.has(name))).toEqual([]);
  });

  it('is found by an id and a title of its own', () => {
    expect(dashboards.length).toBeGreaterThan(2);
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
    expect(new Set(dashboards.map(({ title }) => title)).size).toBe(dashboards.length);
  });

  it.each(dashboards)('$file shows only what is measured or recorded, by labels that it has', (dashboard) => {
    const queries = asked(dashboard);
    expect(queries.length).toBeGreaterThan(5);
    expect(queries.filter((expr) => metricsIn(expr).length === 0)).toEqual([]);
    const unknown = queries
      .flatMap(metricsIn)
      .filter((name) => (name.includes(':') ? !recorded.has(name) : !isMeasured(name)));
    expect(unknown).toEqual([]);
    const legends = dashboard.panels.flatMap(({ targets = [] }) =>
      targets.map((target) => target.legendFormat),
    );
    const labels = [
      ...queries.flatMap(labelsIn),
      ...queries.flatMap(gatheredIn),
      ...legends.flatMap(shownIn),
    ];
    expect(labels.filter((label) => !ADDED.includes(label) && !MEASURED.includes(`\`${label}\``))).toEqual(
      [],
    );
  });

  it.each(dashboards)('$file names its lines by labels that its expressions keep', ({ panels }) => {
    const lost = panels.flatMap(({ targets = [] }) =>
      targets.flatMap(({ expr, legendFormat }) => {
        const kept = gatheredIn(expr);
        return kept.length === 0 ? [] : shownIn(legendFormat).filter((label) => !kept.includes(label));
      }),
    );
    expect(lost).toEqual([]);
  });

  it.each(dashboards)('$file asks the chosen Prometheus for the chosen environments alone', (dashboard) => {
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource', 'namespace']);
    const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);
    expect(targets.filter(({ datasource }) => datasource.uid !== '${datasource}')).toEqual([]);
    for (const { expr } of targets) {
      const selectors = expr.match(/\{[^}]*\}/g) ?? [];
      expect(selectors.length).toBe(metricsIn(expr).length);
      expect(selectors.filter((selector) => !selector.includes('namespace=~"$namespace"'))).toEqual([]);
    }
  });

  it.each(dashboards)(
    '$file lets no two lines of a panel look the same, and none of them come and go',
    (dashboard) => {
      for (const { title, targets = [] } of dashboard.panels) {
        const legends = targets.map(({ legendFormat }) => legendFormat.replaceAll(/\{\{\w+\}\}/g, '').trim());
        expect([title, new Set(legends).size]).toEqual([title, targets.length]);
        for (const { expr, legendFormat } of targets) {
          // What is gathered by nothing is one line, and not one for each target.
          expect([title, /^(max|sum|min|count|histogram_quantile)\b|^\(min by/.test(expr)]).toEqual([
            title,
            true,
          ]);
          expect([title, linesBy(expr).toSorted()]).toEqual([title, shownIn(legendFormat).toSorted()]);
          // Of each step its own: dozens of lines.
          expect([title, /\btopk\(/.test(expr) && !expr.includes('@ end()')]).toEqual([title, false]);
        }
      }
    },
  );

  it.each(dashboards)(
    '$file has replicas in one order, so in one colour each, and what tells them apart first',
    ({ panels }) => {
      const ofReplicas = panels.flatMap(({ targets = [] }) =>
        targets.filter(({ legendFormat }) => legendFormat.includes('{{instance}}')),
      );
      expect(ofReplicas.filter(({ expr }) => linesBy(expr).join() !== 'job,instance')).toEqual([]);
      expect(ofReplicas.filter(({ legendFormat }) => !legendFormat.startsWith('{{instance}}'))).toEqual([]);
    },
  );

  it.each(dashboards)('$file has the unit of each value', ({ panels }) => {
    const units = panels.flatMap(({ title, fieldConfig, targets = [] }) =>
      targets.map(({ expr }) => ({ title, is: fieldConfig?.defaults.unit, ought: unitOf(expr) })),
    );
    expect(units.filter(({ is, ought }) => is !== ought)).toEqual([]);
  });

  it.each(dashboards)(
    '$file says that there is none only of what is told once it has happened',
    ({ panels }) => {
      const none = panels.filter(({ fieldConfig }) => fieldConfig?.defaults.noValue !== undefined);
      expect(none.map(({ fieldConfig }) => fieldConfig?.defaults.noValue)).toEqual(none.map(() => 'none'));
      const told = none.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)));
      expect(told.filter((name) => !/_(total|count)$/.test(name))).toEqual([]);
    },
  );

  it.each(dashboards)('$file shows the lines that stand out where there is no room for all', ({ panels }) => {
    const graphs = panels.filter(({ type }) => type === 'timeseries');
    for (const { title, gridPos, options } of graphs)
      expect([title, options?.legend]).toEqual([
        title,
        expect.objectContaining({
          calcs: ['lastNotNull', 'max'],
          sortBy: 'Max',
          sortDesc: true,
          placement: gridPos.w < 12 ? 'bottom' : 'right',
        }),
      ]);
    const drawn = graphs.map(({ fieldConfig }) => fieldConfig?.defaults.custom);
    // Lines that are 0, and of a quantile points that stand alone.
    expect(
      drawn.filter((custom) => !((custom?.axisSoftMax ?? 0) > 0) || custom?.showPoints !== 'auto'),
    ).toEqual([]);
    const lists = panels.filter(({ type }) => type === 'stat').map(({ options }) => options?.orientation);
    expect(lists.filter((orientation) => orientation !== 'horizontal')).toEqual([]);
  });

  it.each(dashboards)('$file draws limits so that what is past them is red', ({ panels }) => {
    const drawn = panels.filter(({ type }) => type !== 'row');
    const steps = drawn.map(({ title, fieldConfig }) => ({
      title,
      colours: fieldConfig!.defaults.thresholds.steps.map(({ color }) => color).join(),
      values: fieldConfig!.defaults.thresholds.steps.map(({ value }) => value),
    }));
    expect(steps.filter(({ colours }) => !['green', 'green,red', 'red,green'].includes(colours))).toEqual([]);
    expect(steps.filter(({ values: [first, limit = 1] }) => first !== null || !(limit! > 0))).toEqual([]);
  });

  it.each(dashboards)('$file says of each panel what it means, and lets none cover another', ({ panels }) => {
    const drawn = panels.filter(({ type }) => type !== 'row');
    expect(drawn.filter(({ description }) => !/\S/.test(description ?? ''))).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x < 0 || x + w > 24)).toEqual([]);
    const covered = panels.flatMap((panel, at) =>
      panels.slice(at + 1).filter((other) => touch(panel, other)),
    );
    expect(covered.map(({ title }) => title)).toEqual([]);
  });
});

const { file: promtool, missing } = promtoolProgram();

describeWith('the dashboards as promtool reads them', { missing }, () => {
  it.each(dashboards)('what $file asks can be asked', (dashboard) => {
    const folder = mkdtempSync(join(tmpdir(), 'kontoport-dashboards-'));
    try {
      const file = join(folder, 'questions.yaml');
      const rules = asked(dashboard).map((expr, at) => ({ record: `question:${at}`, expr }));
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'questions', rules }] }));
      const said = execFileSync(promtool, ['check', 'rules', file], { encoding: 'utf8', stdio: 'pipe' });
      expect(said).toContain(`${rules.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
