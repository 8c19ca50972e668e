import type { DashboardSpec } from '../grafana.ts';
import { HERE, OF_REPLICA, one, PER_SECOND, quantile, rate, REPLICA } from './queries.ts';

const POOL = 'db_client_connection_pool_name';
const OF_POOL = '{{db_client_connection_pool_name}}';

export const PROCESSES: DashboardSpec = {
  uid: 'kontoport-processes',
  title: 'Kontoport: processes',
  description: 'Each replica, its database and the calls between the services.',
  rows: [
    {
      title: 'Replicas',
      panels: [
        {
          title: 'Replicas by service and version',
          description: 'Two versions of a service at once are an upgrade under way.',
          queries: one(`count by (job, version) (kontoport_build_info{${HERE}})`, '{{job}} {{version}}'),
          unit: 'short',
          kind: 'stat',
          width: 12,
          height: 7,
        },
        {
          title: 'Replicas that do not answer',
          description: 'Those that told their metrics within a day, and that Prometheus does not reach now.',
          queries: one(
            `sum by (job) (up{${HERE}} == bool 0 and on (${REPLICA}) last_over_time(kontoport_build_info{${HERE}}[1d]))`,
            '{{job}}',
          ),
          unit: 'short',
          kind: 'stat',
          limit: 1,
          width: 12,
          height: 7,
        },
        {
          title: 'Replicas that are not ready',
          description: 'No request should come to them. While all of a service are, it is down.',
          queries: one(`sum by (job) (max by (${REPLICA}) (kontoport_ready{${HERE}} == bool 0))`, '{{job}}'),
          unit: 'short',
          width: 24,
        },
        {
          title: 'Processor, cores in use',
          description: 'A replica uses one, and a little of a second one.',
          queries: one(rate('process_cpu_time_seconds_total', REPLICA), OF_REPLICA),
          unit: 'short',
          width: 12,
        },
        {
          title: 'Event loop, busy',
          description: 'Near 100 % a replica has reached what one core can do.',
          queries: one(
            rate('nodejs_eventloop_time_seconds_total', REPLICA, ',nodejs_eventloop_state="active"'),
            OF_REPLICA,
          ),
          unit: 'percentunit',
          limit: 0.9,
          width: 12,
        },
        {
          title: 'Event loop, p99 of its delay',
          description: 'Everything that a replica does waits as long.',
          queries: one(`max by (${REPLICA}) (nodejs_eventloop_delay_p99_seconds{${HERE}})`, OF_REPLICA),
          unit: 's',
          width: 12,
        },
        {
          title: 'Garbage collection',
          description: 'Seconds of each second.',
          queries: one(rate('v8js_gc_duration_seconds_sum', REPLICA), OF_REPLICA),
          unit: 'percentunit',
          width: 12,
        },
        {
          title: 'Resident memory',
          description: 'One that only rises is a leak.',
          queries: one(`sum by (${REPLICA}) (process_memory_usage_bytes{${HERE}})`, OF_REPLICA),
          unit: 'bytes',
          width: 12,
        },
        {
          title: 'Heap in use',
          description: 'What the program itself holds.',
          queries: one(`sum by (${REPLICA}) (v8js_memory_heap_used_bytes{${HERE}})`, OF_REPLICA),
          unit: 'bytes',
          width: 12,
        },
      ],
    },
    {
      title: 'Databases',
      panels: [
        {
          title: 'Connections in use',
          description: 'Of those that the pool may open, in the replica where it is the fullest.',
          queries: one(
            `max by (${POOL}) (sum by (${POOL}, ${REPLICA}) (db_client_connections{${HERE},db_client_connection_state="used"}) / sum by (${POOL}, ${REPLICA}) (db_client_connection_max{${HERE}}))`,
            OF_POOL,
          ),
          unit: 'percentunit',
          limit: 0.9,
          width: 12,
        },
        {
          title: 'Who waits for a connection',
          description: 'In all replicas.',
          queries: one(`sum by (${POOL}) (db_client_connection_pending_requests{${HERE}})`, OF_POOL),
          unit: 'short',
          width: 12,
        },
        {
          title: 'Wait for a connection, p99',
          description: 'Waiting for 3 s is a failure.',
          queries: one(
            quantile({ q: 0.99, metric: 'db_client_connection_wait_time_seconds', by: POOL }),
            OF_POOL,
          ),
          unit: 's',
          limit: 3,
          width: 12,
        },
        {
          title: 'No connection to be had',
          description: 'None was free in time, or the database was away.',
          queries: one(rate('kontoport_db_connection_failures_total', POOL), OF_POOL),
          unit: PER_SECOND,
          absent: 'none',
          width: 12,
        },
      ],
    },
    {
      title: 'Calls and background work',
      panels: [
        {
          title: 'Calls between the services, p99',
          description:
            'The time within which 99 of 100 were answered, as the caller saw it. 10 s stands for more, too.',
          queries: one(
            quantile({ q: 0.99, metric: 'rpc_client_call_duration_seconds', by: 'rpc_method' }),
            '{{rpc_method}}',
          ),
          unit: 's',
          width: 24,
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
          absent: 'none',
          width: 24,
        },
        {
          title: 'Age of what is known of the clients',
          description: 'Some two seconds at most; above the line a replica refuses every token.',
          queries: one(`max by (${REPLICA}) (kontoport_client_directory_age_seconds{${HERE}})`, OF_REPLICA),
          unit: 's',
          limit: 5,
          width: 12,
        },
        {
          title: 'Background work that failed',
          description: 'It is tried again.',
          queries: one(
            rate('kontoport_loop_run_duration_seconds_count', 'job, kontoport_loop', ',outcome="failed"'),
            '{{kontoport_loop}} {{job}}',
          ),
          unit: PER_SECOND,
          absent: 'none',
          width: 12,
        },
      ],
    },
    {
      title: 'Certificates and keys',
      panels: [
        {
          title: 'Certificates end in',
          description: 'The first of each kind, by service. Those that are not in use are not told.',
          queries: one(
            `(min by (job, kontoport_certificate) (kontoport_certificate_end_seconds{${HERE}}) - time()) / 86400`,
            '{{job}} {{kontoport_certificate}}',
          ),
          // Grafana would make weeks of seconds, and a limit is in days.
          unit: 'suffix:days',
          kind: 'stat',
          least: 14,
          height: 8,
        },
        {
          title: 'Client secrets by their key',
          description:
            'Clients whose secret is under the first key of CLIENT_SECRET_PEPPER, a later one, or none that is listed.',
          queries: one(`max by (pepper) (kontoport_client_secrets{${HERE}})`, '{{pepper}}'),
          unit: 'short',
          kind: 'stat',
          height: 8,
        },
        {
          title: 'Keys that stay closed',
          description: 'Of subscriptions: no key of SECRETS_KEY opens them. Always 0.',
          queries: one(`max(kontoport_webhook_closed_keys{${HERE}})`, 'closed'),
          unit: 'short',
          kind: 'stat',
          limit: 1,
          height: 8,
        },
      ],
    },
  ],
};
