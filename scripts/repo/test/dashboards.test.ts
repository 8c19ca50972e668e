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
  title: string;
  type: string;
  description?: string;
  targets?: { expr: string; legendFormat: string; datasource: { uid: string } }[];
}

interface Dashboard {
  uid: string;
  title: string;
  templating: { list: { name: string }[] };
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

/** Labels that metrics stores add to every target, and those that the rules define. */
const ADDED = ['namespace', 'job', 'instance', 'le', 'interface'];

/** The labels by which an expression gathers, and those that its legend shows. */
const gatheredIn = (expr: string): string[] =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(/,\s*/));
const shownIn = (legend: string): string[] =>
  [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);

/** `rate5m` and `ratio1h` of an interface are the same to the reader; so are the parts of a histogram. */
const withoutWindow = (name: string): string =>
  name.replace(/:(rate|ratio)\d+[mhd]$/, '').replace(/_(bucket|count|sum)$/, '');

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

  it.each(dashboards)('$file has a description and a title of its own for each panel', ({ panels }) => {
    const drawn = panels.filter(({ type }) => type !== 'row');
    expect(drawn.filter(({ description }) => !/\S/.test(description ?? ''))).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
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
