import type { DashboardSpec } from '../grafana.ts';
import { HERE, one, quantile, rate } from './queries.ts';

export const PROCESSES: DashboardSpec = {
  uid: 'kontoport-processes',
  title: 'Kontoport: processes',
  description: 'Each replica, its database and the calls between the services.',
  rows: [
    {
      title: 'Replicas',
      panels: [
        {
          title: 'Replicas',
          description: 'By service and version: two versions at once are an upgrade under way.',
          queries: one(`count by (job, version) (kontoport_build_info{${HERE}})`, '{{job}} {{version}}'),
          unit: 'short',
          kind: 'stat',
          width: 24,
        },
        {
          title: 'Processor',
          description: 'Cores in use.',
          queries: one(
            `sum by (job, instance) (rate(process_cpu_time_seconds_total{${HERE}}[$__rate_interval]))`,
            '{{job}} {{instance}}',
          ),
          unit: 'short',
        },
        {
          title: 'Resident memory',
          description: 'One that only rises is a leak.',
          queries: one(`process_memory_usage_bytes{${HERE}}`, '{{job}} {{instance}}'),
          unit: 'bytes',
        },
        {
          title: 'Heap in use',
          description: 'What the program itself holds.',
          queries: one(
            `sum by (job, instance) (v8js_memory_heap_used_bytes{${HERE}})`,
            '{{job}} {{instance}}',
          ),
          unit: 'bytes',
        },
        {
          title: 'Event loop, p99 of its delay',
          description: 'Everything that a replica does waits as long.',
          queries: one(`nodejs_eventloop_delay_p99_seconds{${HERE}}`, '{{job}} {{instance}}'),
          unit: 's',
        },
        {
          title: 'Event loop, busy',
          description: 'Near 100 % a replica has reached what one core can do.',
          queries: one(
            `sum by (job, instance) (rate(nodejs_eventloop_time_seconds_total{${HERE},nodejs_eventloop_state="active"}[$__rate_interval]))`,
            '{{job}} {{instance}}',
          ),
          unit: 'percentunit',
          limit: 0.9,
        },
        {
          title: 'Garbage collection',
          description: 'Seconds of each second.',
          queries: one(rate('v8js_gc_duration_seconds_sum', 'job, v8js_gc_type'), '{{job}} {{v8js_gc_type}}'),
          unit: 'percentunit',
        },
      ],
    },
    {
      title: 'Databases',
      panels: [
        {
          title: 'Connections in use',
          description: 'Of those that the pool may open.',
          queries: one(
            `sum by (db_client_connection_pool_name) (db_client_connections{${HERE},db_client_connection_state="used"}) / sum by (db_client_connection_pool_name) (db_client_connection_max{${HERE}})`,
            '{{db_client_connection_pool_name}}',
          ),
          unit: 'percentunit',
          limit: 0.9,
        },
        {
          title: 'Wait for a connection',
          description: 'Of 99 of 100; waiting for 3 s is a failure.',
          queries: one(
            quantile(0.99, 'db_client_connection_wait_time_seconds', 'db_client_connection_pool_name'),
            '{{db_client_connection_pool_name}}',
          ),
          unit: 's',
          limit: 3,
        },
        {
          title: 'No connection to be had',
          description: 'None was free in time, or the database was away.',
          queries: one(
            rate('kontoport_db_connection_failures_total', 'db_client_connection_pool_name'),
            '{{db_client_connection_pool_name}}',
          ),
          unit: 'short',
        },
      ],
    },
    {
      title: 'Calls and background work',
      panels: [
        {
          title: 'Calls between the services',
          description: 'The time within which 99 of 100 were answered, as the caller saw it.',
          queries: one(quantile(0.99, 'rpc_client_call_duration_seconds', 'rpc_method'), '{{rpc_method}}'),
          unit: 's',
        },
        {
          title: 'Calls that found the other away',
          description: 'Or too slow.',
          queries: one(
            rate(
              'rpc_client_call_duration_seconds_count',
              'rpc_method, rpc_response_status_code',
              ',rpc_response_status_code=~"UNAVAILABLE|DEADLINE_EXCEEDED"',
            ),
            '{{rpc_response_status_code}} {{rpc_method}}',
          ),
          unit: 'reqps',
        },
        {
          title: 'Background work that failed',
          description: 'It is tried again.',
          queries: one(
            rate('kontoport_loop_run_duration_seconds_count', 'job, kontoport_loop', ',outcome="failed"'),
            '{{job}} {{kontoport_loop}}',
          ),
          unit: 'short',
        },
      ],
    },
  ],
};
