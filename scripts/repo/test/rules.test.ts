import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promtoolProgram } from '@kontoport/embedded/prometheus';
import { describeWith } from '@kontoport/testing/describe-with';
import { parse } from 'yaml';
import { isMeasured, labelsIn, MEASURED, metricsIn } from './promql.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FILES = join(ROOT, 'charts/kontoport/files');
const PAGES = join(ROOT, 'docs/operations/alerts');
const TESTS = join(import.meta.dirname, 'rules');

interface Rule {
  record?: string;
  alert?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

interface Group {
  name: string;
  rules: Rule[];
}

const groupsOf = (file: string): Group[] =>
  (parse(readFileSync(join(FILES, 'rules', file), 'utf8')) as { groups: Group[] }).groups;
const ruleFiles = readdirSync(join(FILES, 'rules'));
const groups = ruleFiles.flatMap(groupsOf);
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const names = alerts.map(({ alert }) => alert!);

describe('what the rules are made of', () => {
  const recorded = new Set(rules.flatMap(({ record }) => record ?? []));

  it('reads the names of metrics in expressions', () => {
    expect(metricsIn('sum by (a) (rate(one_total{b="c d"}[5m])) / on (x) two:sum > 14.4 * 0.001')).toEqual([
      'one_total',
      'two:sum',
    ]);
  });

  it.each(
    rules.map((rule) => [rule.alert ?? `${rule.record} ${rule.labels?.interface ?? ''}`, rule] as const),
  )('%s names only metrics that a service tells or a rule records', (_name, { expr }) => {
    const used = metricsIn(expr);
    expect(used).not.toEqual([]);
    expect(used.filter((name) => !recorded.has(name) && !isMeasured(name))).toEqual([]);
  });

  it('takes its labels from the page of what is measured, or from what a rule records', () => {
    const given = new Set([
      'le',
      ...rules.flatMap(({ record, labels = {} }) => (record ? Object.keys(labels) : [])),
    ]);
    const matched = rules.flatMap(({ expr }) => labelsIn(expr));
    expect(matched.filter((label) => !given.has(label) && !MEASURED.includes(`\`${label}\``))).toEqual([]);
  });
});

describe('every alert', () => {
  it('is named once, and has a page; every page has its alert', () => {
    const pages = readdirSync(PAGES).filter((file) => file !== 'README.md');
    expect(pages.toSorted()).toEqual(names.map((name) => `${name}.md`).toSorted());
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(alerts.map((rule) => [rule.alert!, rule] as const))(
    '%s has a severity, a summary, a first command and a page',
    (name, { labels, annotations }) => {
      expect(['critical', 'warning']).toContain(labels?.severity);
      expect(annotations?.summary).toMatch(/\S/);
      expect(annotations?.description).toMatch(/^First: /);
      expect(annotations?.runbook_url).toBe(`docs/operations/alerts/${name}.md`);
      const page = readFileSync(join(PAGES, `${name}.md`), 'utf8');
      expect(page.match(/^#.*$/gm)).toEqual([
        `# ${name}`,
        '## Symptom',
        '## First command',
        '## Causes and cures',
      ]);
      const row = `[${name}](${name}.md)`;
      const listed = readFileSync(join(PAGES, 'README.md'), 'utf8').split('\n');
      expect(listed.find((line) => line.includes(row))).toMatch(new RegExp(`\\| ${labels?.severity} +\\|`));
    },
  );

  it('is tested where it fires, and where it does not', () => {
    const tested = globSync('*.yaml', { cwd: TESTS }).map((file) => readFileSync(join(TESTS, file), 'utf8'));
    expect(names.filter((name) => !tested.some((text) => text.includes(`alertname="${name}"`)))).toEqual([]);
    expect(tested.filter((text) => !text.includes('exp_samples: []'))).toEqual([]);
  });
});

const { file: promtool, missing } = promtoolProgram();

describeWith('the rules as promtool reads them', { missing }, () => {
  const run = (...args: string[]): string =>
    execFileSync(promtool, args, { encoding: 'utf8', stdio: 'pipe' });

  it.each(ruleFiles)('%s is sound', (file) => {
    expect(run('check', 'rules', join(FILES, 'rules', file))).toContain('SUCCESS');
  });

  it.each(readdirSync(TESTS))(
    'alerts fire as %s says',
    (file) => {
      const { group_eval_order: order, rule_files: read } = parse(
        readFileSync(join(TESTS, file), 'utf8'),
      ) as {
        group_eval_order: string[];
        rule_files: string[];
      };
      // promtool only warns of a missing file, and passes where no alert is expected.
      expect(read.filter((path) => !existsSync(join(TESTS, path)))).toEqual([]);
      // A group outside of the order could be evaluated at any place of it.
      expect(order).toEqual(read.flatMap((path) => groupsOf(basename(path)).map(({ name }) => name)));
      expect(run('test', 'rules', join(TESTS, file))).toContain('SUCCESS');
    },
    300_000,
  );

  it('what the pages ask Prometheus can be asked', () => {
    const questions = readdirSync(PAGES).flatMap((file) =>
      [...readFileSync(join(PAGES, file), 'utf8').matchAll(/^```promql\n([^]*?)\n```$/gm)].map(
        ([, expr]) => expr!,
      ),
    );
    expect(questions.length).toBeGreaterThanOrEqual(names.length);
    const folder = mkdtempSync(join(tmpdir(), 'kontoport-rules-'));
    try {
      const file = join(folder, 'questions.yaml');
      const asked = questions.map((expr, at) => ({ record: `question:${at}`, expr }));
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'questions', rules: asked }] }));
      expect(run('check', 'rules', file)).toContain(`${questions.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
