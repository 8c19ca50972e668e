import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import type { Engine } from '../src/engine.ts';
import { imagesFor } from '../src/local-images.ts';
import { prepareCompose } from '../src/prepare-compose.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILE = join(ROOT, 'docker/compose.yaml');
/** Milliseconds for a stack to start, and for a tour through it, on a busy machine. */
const LIMIT_MS = 600_000;

interface Configured {
  services: Record<
    string,
    {
      image: string;
      read_only?: boolean;
      cap_drop?: string[];
      security_opt?: string[];
      profiles?: string[];
      ports?: { host_ip?: string; published: string }[];
      volumes?: { type: string; source: string }[];
    }
  >;
}

/** Images of the stack besides our own. */
export const COMPOSE_IMAGES = [
  'BASE_IMAGE',
  'POSTGRES_IMAGE',
  'KAFKA_IMAGE',
  'ENVOY_IMAGE',
  'PROMETHEUS_IMAGE',
] as const;

/** Tests of the stack of docker/compose.yaml, with images that exist. */
export function describeCompose(options: {
  engine: () => Engine;
  services: readonly string[];
  version: string;
  report: (line: string) => void;
}): void {
  const { services, version, report } = options;
  const project = `kontoport-check-${process.pid}`;
  let folder: string;
  let prometheus: string;
  let variables: string;
  const compose = (...args: string[]): Promise<string> =>
    options.engine().mustRun(['compose', '-p', project, '-f', FILE, '--env-file', variables, ...args]);

  beforeAll(async () => {
    const engine = options.engine();
    const images = await imagesFor(engine, COMPOSE_IMAGES);
    folder = mkdtempSync(join(tmpdir(), 'kontoport-compose-'));
    const names = ['BASE', 'REGISTRATION', 'AUTH', 'USER', 'PROMETHEUS'];
    const ports = (await freePorts(names.length)).map((port, at) => [`${names[at]}_PORT`, String(port)]);
    const given = Object.fromEntries(ports) as Record<string, string>;
    prometheus = `http://127.0.0.1:${given.PROMETHEUS_PORT}`;
    variables = await prepareCompose({
      folder,
      given: {
        ...images,
        ...given,
        KONTOPORT_VERSION: version,
        SETTLEMENT_DELAY: '500ms',
        // Another stack on this machine may have one as well.
        SUBNET: `172.30.${process.pid % 250}`,
      },
    });
  }, LIMIT_MS);
  afterAll(async () => {
    if (variables !== undefined) await compose('down', '--volumes', '--timeout', '30');
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }, LIMIT_MS);

  it('is complete, pinned and closed, with traces and dashboards too', async () => {
    const told = await compose('--profile', '*', 'config', '--format', 'json');
    const configured = Object.entries((JSON.parse(told) as Configured).services);
    const names = configured.map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        ...services,
        'postgres',
        'kafka',
        'edge',
        'prometheus',
        'collector',
        'jaeger',
        'grafana',
      ]),
    );
    for (const [name, one] of configured) {
      expect([name, one.image]).toEqual([name, expect.stringMatching(/^[a-z/-]+:(?!latest$)[\w.-]+$/)]);
      for (const { host_ip } of one.ports ?? []) expect([name, host_ip]).toEqual([name, '127.0.0.1']);
      for (const { type, source } of one.volumes ?? [])
        if (type === 'bind') expect([name, source, existsSync(source)]).toEqual([name, source, true]);
      if (['postgres', 'kafka'].includes(name)) continue;
      expect([name, one.read_only, one.cap_drop, one.security_opt]).toEqual([
        name,
        true,
        ['ALL'],
        ['no-new-privileges:true'],
      ]);
    }
    const extra = configured.flatMap(([name, { profiles }]) => (profiles?.includes('observe') ? [name] : []));
    expect(extra.toSorted()).toEqual(['collector', 'grafana', 'jaeger']);
  });

  describe('once it is up', () => {
    beforeAll(async () => {
      await compose('up', '--wait', '--pull=never', '--no-build');
    }, LIMIT_MS);

    it(
      'takes a third party provider through the whole tour, webhooks included',
      async () => {
        const said = await compose('run', '--rm', 'tour');
        expect(said).toContain('The tour is complete');
      },
      LIMIT_MS,
    );

    it('is watched by Prometheus, with the rules of the chart', async () => {
      const ask = async (path: string): Promise<unknown> =>
        ((await (await fetch(`${prometheus}/api/v1/${path}`)).json()) as { data: unknown }).data;
      const up = async (): Promise<string[]> => {
        const { activeTargets } = (await ask('targets?state=active')) as {
          activeTargets: { health: string; labels: { instance: string } }[];
        };
        return activeTargets.flatMap(({ health, labels }) =>
          health === 'up' ? labels.instance.split(':')[0]! : [],
        );
      };
      await until(async () => (await up()).length === services.length, {
        what: 'every service to be scraped',
      });
      expect((await up()).toSorted()).toEqual([...services].toSorted());
      const { groups } = (await ask('rules')) as { groups: { name: string }[] };
      expect(groups.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['kontoport-availability', 'kontoport-replicas']),
      );
    });

    it('runs each service as nobody, and says what it takes', async () => {
      let [resident, own] = [0, 0];
      for (const service of services) {
        const id = (await compose('ps', '--quiet', service)).trim();
        const state = await options.engine().mustRun(['inspect', '--format', '{{json .State}}', id]);
        const { Pid: pid, StartedAt: started } = JSON.parse(state) as { Pid: number; StartedAt: string };
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        expect(status).toMatch(/^Uid:(\t10001){4}$/m);
        const ready = (await options.engine().mustRun(['logs', id]))
          .split('\n')
          .find((line) => line.includes('"msg":"ready"'));
        const { time } = JSON.parse(ready!) as { time: number | string };
        const memory = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
        const [rss, pss] = ['Rss', 'Pss'].map(
          (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(memory)![1]) / 1_000,
        );
        [resident, own] = [resident + rss!, own + pss!];
        const took = new Date(time).getTime() - new Date(started).getTime();
        report(
          `${service}: ready ${took} ms after its container, ${rss!.toFixed(0)} MB resident after the tour`,
        );
      }
      report(`all: ${resident.toFixed(0)} MB resident, ${own.toFixed(0)} MB with shared pages counted once`);
    });
  });
}
