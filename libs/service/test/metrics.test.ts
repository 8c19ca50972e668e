import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { startInProcess } from '@kontoport/service';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { readMetrics } from '@kontoport/testing/metrics';
import { tinyService } from './fixtures/tiny.ts';

let peers: FakePeers;
beforeAll(async () => {
  peers = await startFakePeers();
});
afterAll(() => peers.close());

const PAGE = join(import.meta.dirname, '../../../docs/operations/metrics.md');

describe('the metrics of a service', () => {
  it('are on its ops port, and all are documented', async () => {
    const env = { ...peers.env, OPS_PORT: '0', USER_PORT: '0', GRPC_PORT: '0', GREETING: 'hello' };
    const service = await startInProcess(tinyService(), env);
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
