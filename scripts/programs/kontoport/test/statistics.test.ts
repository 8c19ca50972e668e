import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prometheusProgram, promtoolProgram } from '@kontoport/embedded/prometheus';
import { until } from '@kontoport/embedded/wait';
import { describeWith } from '@kontoport/testing/describe-with';
import { kontoport } from '@kontoport/testing/kontoport';

const FIRST_DAY = Date.UTC(2024, 6, 1) / 1_000;
const DAY = 2_880;

/** A series of samples each 30 s from the first day of a quarter on, which is long over. */
function series(name: string, labels: string, value: (at: number) => number | undefined): string {
  const lines = [`# TYPE ${name} gauge`];
  for (let at = 0; at < 2.5 * DAY; at++) {
    const sample = value(at);
    if (sample !== undefined) lines.push(`${name}{${labels}} ${sample} ${FIRST_DAY + 30 * at}`);
  }
  return lines.join('\n');
}

const dayOf = (at: number): number => Math.floor(at / DAY);
const accounts = 'interface="accounts",namespace="bank"';
const payments = 'interface="payments",namespace="bank"';

const RECORDED = [
  // In a quarter of the second day accounts is down; half of the third day is measured.
  series('kontoport:interface_up', accounts, (at) => (dayOf(at) === 1 && at % 4 === 0 ? 0 : 1)),
  series('kontoport:interface_requests:rate5m', accounts, () => 2),
  series('kontoport:interface_errors:rate5m', accounts, (at) => (dayOf(at) === 1 ? 0.02 : 0)),
  series('kontoport:interface_timed:rate5m', accounts, () => 2),
  series('kontoport:interface_seconds:rate5m', accounts, (at) => [0.1, 0.3, 0.1][dayOf(at)]),
  // payments gets no requests.
  series('kontoport:interface_up', payments, (at) => (dayOf(at) === 0 ? 1 : undefined))
    .split('\n')
    .slice(1)
    .join('\n'),
  series('kontoport:interface_requests:rate5m', payments, () => 0)
    .split('\n')
    .slice(1)
    .join('\n'),
  series('kontoport:interface_up', 'interface="accounts",namespace="other"', (at) =>
    at === 0 ? 0 : undefined,
  )
    .split('\n')
    .slice(1)
    .join('\n'),
];

const [prometheus, promtool] = [prometheusProgram(), promtoolProgram()];

describeWith('kontoport statistics', { missing: prometheus.missing ?? promtool.missing }, () => {
  let folder: string;
  let server: ChildProcess;
  let url: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kontoport-statistics-'));
    const [metrics, data, config] = ['metrics', 'data', 'prometheus.yml'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    // Samples of one metric must be adjacent.
    const families = Map.groupBy(
      RECORDED.join('\n').split('\n'),
      (line) => /kontoport:[\w:]+/.exec(line)![0],
    );
    writeFileSync(metrics, `${[...families.values()].flat().join('\n')}\n# EOF\n`);
    execFileSync(promtool.file, ['tsdb', 'create-blocks-from', 'openmetrics', metrics, data], {
      stdio: 'pipe',
    });
    writeFileSync(config, '{}');
    server = spawn(
      prometheus.file,
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${data}`,
        '--storage.tsdb.retention.time=100y',
        '--web.listen-address=127.0.0.1:0',
        '--log.format=json',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let said = '';
    server.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text));
    const port = await until(
      () => {
        if (server.exitCode !== null) throw new Error(said);
        return /"address":"127\.0\.0\.1:([1-9]\d*)"/.exec(said)?.[1];
      },
      { what: 'Prometheus to listen' },
    );
    url = `http://127.0.0.1:${port}`;
    await until(async () => (await fetch(`${url}/-/ready`)).ok, { what: 'Prometheus to be ready' });
  }, 120_000);
  afterAll(async () => {
    if (server?.exitCode === null) {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const statistics = (...args: string[]) =>
    kontoport(['statistics', '--prometheus', url, ...args], { env: { PATH: process.env.PATH } });
  const ofTheBank = (...args: string[]) => statistics('--quarter', '2024-Q3', '--namespace', 'bank', ...args);

  it('tells of each day and of the quarter how available and how fast an interface was', async () => {
    const { status, stdout, stderr } = await ofTheBank('--json');
    expect([status, stderr]).toEqual([0, '']);
    const { quarter, rows } = JSON.parse(stdout) as { quarter: string; rows: Record<string, unknown>[] };
    expect([quarter, rows.length]).toEqual(['2024-Q3', 2 * 93]);
    const near = (value: number): unknown => expect.closeTo(value, 6) as unknown;
    const common = { interface: 'accounts', requests: 172_800, measured: 1 };
    expect(rows.slice(0, 4)).toEqual([
      { ...common, period: '2024-07-01', availability: 1, downtime: 0, average: near(50), errorRate: 0 },
      {
        ...common,
        period: '2024-07-02',
        availability: 0.75,
        downtime: 0.25,
        average: near(150),
        errorRate: near(0.01),
      },
      {
        ...common,
        period: '2024-07-03',
        availability: 1,
        downtime: 0,
        average: near(50),
        errorRate: 0,
        requests: 86_400,
        measured: 0.5,
      },
      {
        interface: 'accounts',
        period: '2024-07-04',
        availability: null,
        downtime: null,
        average: null,
        errorRate: null,
        requests: 0,
        measured: 0,
      },
    ]);
    expect(rows[92]).toEqual({
      interface: 'accounts',
      period: '2024-Q3',
      availability: near(0.9),
      downtime: near(0.1),
      average: near(90),
      errorRate: near(0.004),
      requests: 432_000,
      measured: near(2.5 / 92),
    });
    expect(rows[93]).toMatchObject({
      interface: 'payments',
      availability: 1,
      average: null,
      errorRate: null,
    });
  });

  it('as a table for people, and for spreadsheets', async () => {
    const table = (await ofTheBank()).stdout.split('\n');
    expect(table.slice(0, 4)).toEqual([
      'accounts',
      '               available        down     average      errors    requests    measured',
      '  2024-07-01   100.000 %     0.000 %     50.0 ms     0.000 %      172800   100.000 %',
      '  2024-07-02    75.000 %    25.000 %    150.0 ms     1.000 %      172800   100.000 %',
    ]);
    expect(table[5]).toBe(
      '  2024-07-04           -           -           -           -           0     0.000 %',
    );
    const csv = (await ofTheBank('--csv')).stdout.split('\r\n');
    expect([csv[0], csv[2], csv[4], csv.length]).toEqual([
      'interface,period,availability,downtime,average_ms,error_rate,requests,measured',
      'accounts,2024-07-02,0.75,0.25,150,0.01,172800,1',
      'accounts,2024-07-04,,,,,0,0',
      1 + 2 * 93 + 1,
    ]);
  });

  it('demands to know which bank where there are several', async () => {
    expect(await statistics('--quarter', '2024-Q3')).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('choose one by --namespace bank | other'),
    });
  });

  it.each([
    ['a token that cannot be sent', '', 'hush\nhush'],
    ['a password in the address', 'me:hush@', ''],
  ])('does not repeat %s', async (_what, user, token) => {
    const address = url.replace('//', `//${user}`);
    const said = await kontoport(['statistics', '--quarter', '2024-Q3', '--prometheus', address], {
      env: { PATH: process.env.PATH, PROMETHEUS_TOKEN: token },
    });
    expect(said).toEqual({ status: 2, stdout: '', stderr: expect.not.stringContaining('hush') as string });
  });

  it.each([
    ['nothing was recorded', ['--quarter', '2023-Q1'], 1, 'nothing is recorded of these days'],
    ['the quarter has not begun', ['--quarter', '2099-Q1'], 2, 'of 2099-Q1 no day is over yet'],
    ['the quarter is none', ['--quarter', '2024-Q5'], 2, '--quarter takes a quarter such as 2026-Q3'],
    [
      'the namespace is none',
      ['--quarter', '2024-Q3', '--namespace', 'a"b'],
      2,
      '--namespace takes the name',
    ],
    [
      'the address is none',
      ['--quarter', '2024-Q3', '--prometheus', 'bank'],
      2,
      '--prometheus takes an address',
    ],
  ])('says so when %s', async (_what, args, expected, words) => {
    const { status, stdout, stderr } = await statistics(...args);
    expect({ status, stdout }).toEqual({ status: expected, stdout: '' });
    expect(stderr).toContain(words);
  });

  it('says so when two forms are asked for, in the one that programs read', async () => {
    const { status, stdout } = await ofTheBank('--json', '--csv');
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toEqual({ error: expect.stringContaining('exclude each other') as unknown });
  });

  it('says so when what answers is no Prometheus', async () => {
    const { status, stderr } = await statistics('--quarter', '2024-Q3', '--prometheus', `${url}/elsewhere`);
    expect(status).toBe(1);
    expect(stderr).toContain('answers 404: this is no Prometheus');
  });
});
