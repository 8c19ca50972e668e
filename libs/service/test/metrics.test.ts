import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promtoolProgram } from '@kontoport/embedded/prometheus';
import { until } from '@kontoport/embedded/wait';
import { startInProcess } from '@kontoport/service';
import { describeWith } from '@kontoport/testing/describe-with';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { readMetrics } from '@kontoport/testing/metrics';
import { tinyService } from './fixtures/tiny.ts';

let peers: FakePeers;
beforeAll(async () => {
  peers = await startFakePeers();
});
afterAll(() => peers.close());

const PAGE = join(import.meta.dirname, '../../../docs/operations/metrics.md');

const start = () =>
  startInProcess(tinyService(), {
    ...peers.env,
    OPS_PORT: '0',
    USER_PORT: '0',
    GRPC_PORT: '0',
    GREETING: 'hello',
  });

describe('the metrics of a service', () => {
  it('are on its ops port, and all are documented', async () => {
    const service = await start();
    try {
      const answer = await fetch(`${service.addresses.base_url}/greeting`);
      expect(answer.status).toBe(200);
      const metrics = await until(
        async () => {
          const read = await readMetrics(service.opsPort);
          const labels = { http_route: '/greeting', http_response_status_code: '200' };
          const answered = read.sum('http_server_request_duration_seconds_count', labels);
          const ran = read.sum('kontoport_loop_run_duration_seconds_count', {
            kontoport_loop: 'greeting loop',
          });
          return answered === 1 && ran === 1 && read;
        },
        { what: 'the request and the run' },
      );
      expect(metrics.sum('kontoport_build_info', { service: 'tiny' })).toBe(1);
      const page = readFileSync(PAGE, 'utf8');
      const names = [...metrics.families.keys()];
      expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
      for (const { series } of metrics.families.values())
        for (const label of series
          .flatMap(({ labels }) => Object.keys(labels))
          .filter((name) => name !== 'le'))
          expect(page).toContain(`\`${label}\``);
    } finally {
      await service.close();
    }
  });
});

const { file: promtool, missing } = promtoolProgram();

describeWith('the metrics of a service, as promtool reads them', { missing }, () => {
  it('have no duplicate, no part out of order and no name against the conventions', async () => {
    const service = await start();
    try {
      const input = await (await fetch(`http://127.0.0.1:${service.opsPort}/metrics`)).text();
      expect(input).toContain('# TYPE http_server_request_duration_seconds histogram');
      const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], {
        input,
        encoding: 'utf8',
      });
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
    } finally {
      await service.close();
    }
  });
});
