import type { DashboardSpec, PanelSpec, Query } from './grafana.ts';

/** Of the environments that are chosen, and of those that Prometheus gives no namespace. */
const HERE = 'namespace=~"$namespace"';

const REQUESTS = 'http_server_request_duration_seconds';

const one = (expr: string, legend: string): Query[] => [{ expr, legend }];

const rate = (metric: string, by: string, matchers = ''): string =>
  `sum by (${by}) (rate(${metric}{${HERE}${matchers}}[$__rate_interval]))`;

const quantile = (q: number, metric: string, by: string, matchers = ''): string =>
  `histogram_quantile(${q}, sum by (${by === '' ? '' : `${by}, `}le) (rate(${metric}_bucket{${HERE}${matchers}}[$__rate_interval])))`;

const halfAndMost = (metric: string, by: string, legend: string, matchers = ''): Query[] => [
  { expr: quantile(0.5, metric, by, matchers), legend: `${legend} p50` },
  { expr: quantile(0.99, metric, by, matchers), legend: `${legend} p99` },
];

/** The share of an objective that was used up, by interface. */
const spent = (title: string, ratio: string, limit: number): PanelSpec => ({
  title,
  description: `Of the requests. The objective over 30 days is ${limit * 100} %.`,
  queries: one(`${ratio}{${HERE}}`, '{{interface}}'),
  unit: 'percentunit',
  kind: 'stat',
  limit,
});

const INTERFACES: DashboardSpec = {
  uid: 'kontoport-interfaces',
  title: 'Kontoport: what TPPs get',
  description: 'How each interface answers, and why it does not.',
  rows: [
    {
      title: 'Objectives',
      panels: [
        spent('Failed in the last hour', 'kontoport:interface_errors:ratio1h', 0.001),
        spent('Failed in the last day', 'kontoport:interface_errors:ratio1d', 0.001),
        spent('Failed in three days', 'kontoport:interface_errors:ratio3d', 0.001),
        spent('Slower than a second in the last hour', 'kontoport:interface_slow:ratio1h', 0.01),
        spent('Slower than a second in the last day', 'kontoport:interface_slow:ratio1d', 0.01),
        spent('Slower than a second in three days', 'kontoport:interface_slow:ratio3d', 0.01),
      ],
    },
    {
      title: 'Interfaces',
      panels: [
        {
          title: 'Requests',
          description: 'What TPPs ask. A sudden end is as bad as a rise of errors.',
          queries: one(`kontoport:interface_requests:rate5m{${HERE}}`, '{{interface}}'),
          unit: 'reqps',
        },
        {
          title: 'Failed',
          description: 'Answered 5xx. Above the line somebody is woken.',
          queries: one(`kontoport:interface_errors:ratio5m{${HERE}}`, '{{interface}}'),
          unit: 'percentunit',
          limit: 0.0144,
        },
        {
          title: 'Slower than a second',
          description: 'Of the requests whose time the bank decides. Above the line somebody is woken.',
          queries: one(`kontoport:interface_slow:ratio5m{${HERE}}`, '{{interface}}'),
          unit: 'percentunit',
          limit: 0.144,
        },
      ],
    },
    {
      title: 'Routes',
      panels: [
        {
          title: 'The ten slowest routes',
          description: 'The time within which 99 of 100 requests were answered.',
          queries: one(
            `topk(10, ${quantile(0.99, REQUESTS, 'http_request_method, http_route', ',http_route!=""')})`,
            '{{http_request_method}} {{http_route}}',
          ),
          unit: 's',
          width: 12,
        },
        {
          title: 'Routes that fail',
          description: 'Answers 5xx by route.',
          queries: one(
            rate(
              `${REQUESTS}_count`,
              'http_request_method, http_route, http_response_status_code',
              ',http_response_status_code=~"5.."',
            ),
            '{{http_response_status_code}} {{http_request_method}} {{http_route}}',
          ),
          unit: 'reqps',
          width: 12,
        },
        {
          title: 'Refusals by their code',
          description:
            'What TPPs are told. UNAVAILABLE is the bank’s own; CERTIFICATE_… and TOKEN_… of many TPPs at once may be, too.',
          queries: one(rate(`${REQUESTS}_count`, 'error_type', ',error_type!=""'), '{{error_type}}'),
          unit: 'reqps',
          width: 12,
        },
        {
          title: 'Being answered',
          description: 'Requests under way, by service.',
          queries: one(`sum by (job) (http_server_active_requests{${HERE}})`, '{{job}}'),
          unit: 'short',
          width: 12,
        },
      ],
    },
  ],
};

const EVENTS: DashboardSpec = {
  uid: 'kontoport-events',
  title: 'Kontoport: events and webhooks',
  description: 'From the outbox over Kafka to the callbacks.',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Oldest event in an outbox',
          description: 'How long it waits for the broker.',
          queries: one(`max by (job) (kontoport_outbox_oldest_age_seconds{${HERE}})`, '{{job}}'),
          unit: 's',
          kind: 'stat',
          limit: 60,
        },
        {
          title: 'Oldest due delivery',
          description: 'Of subscriptions that no replica has claimed: more replicas lower it.',
          queries: one(`max(kontoport_webhook_oldest_due_seconds{${HERE}})`, 'due'),
          unit: 's',
          kind: 'stat',
          limit: 60,
        },
        {
          title: 'Records passed over',
          description: 'Committed and not taken: always 0.',
          queries: one(
            `max by (kontoport_whereabouts) (kontoport_passed_over_records{${HERE}})`,
            '{{kontoport_whereabouts}}',
          ),
          unit: 'short',
          kind: 'stat',
          limit: 1,
        },
      ],
    },
    {
      title: 'Kafka',
      panels: [
        {
          title: 'Sent',
          description: 'Events that the broker took.',
          queries: one(
            rate('messaging_client_sent_messages_total', 'messaging_destination_name'),
            '{{messaging_destination_name}}',
          ),
          unit: 'short',
        },
        {
          title: 'Consumed',
          description: 'Records that are done with. Below what is sent a backlog grows.',
          queries: one(
            rate(
              'messaging_client_consumed_messages_total',
              'messaging_destination_name, messaging_consumer_group_name',
            ),
            '{{messaging_destination_name}} {{messaging_consumer_group_name}}',
          ),
          unit: 'short',
        },
        {
          title: 'From the broker to done',
          description: 'How late nine of ten records are, by topic.',
          queries: one(
            quantile(0.9, 'kontoport_consumer_delay_seconds', 'messaging_destination_name'),
            '{{messaging_destination_name}}',
          ),
          unit: 's',
          limit: 5,
        },
        {
          title: 'Batches that failed',
          description: 'Each is tried again, so one that fails for ever stops its partition.',
          queries: one(
            rate(
              'messaging_process_duration_seconds_count',
              'messaging_destination_name, messaging_consumer_group_name',
              ',outcome="failed"',
            ),
            '{{messaging_destination_name}} {{messaging_consumer_group_name}}',
          ),
          unit: 'short',
          width: 12,
        },
        {
          title: 'Dead letters',
          description: 'Records that could not be read, since the processes began.',
          queries: one(
            `sum by (messaging_destination_name) (kontoport_dead_letters_total{${HERE}})`,
            '{{messaging_destination_name}}',
          ),
          unit: 'short',
          limit: 1,
          width: 12,
        },
      ],
    },
    {
      title: 'Webhooks',
      panels: [
        {
          title: 'Attempts',
          description:
            'By what came of them. One silent receiver raises `timeout`; all at once, and it is the way out of the bank.',
          queries: one(rate('kontoport_webhook_attempt_duration_seconds_count', 'outcome'), '{{outcome}}'),
          unit: 'short',
        },
        {
          title: 'How long receivers take',
          description: 'Those that accepted.',
          queries: halfAndMost(
            'kontoport_webhook_attempt_duration_seconds',
            '',
            'accepted',
            ',outcome="accepted"',
          ),
          unit: 's',
        },
        {
          title: 'Oldest due delivery',
          description:
            'And the oldest event of which some are still to be made; and for how long somebody is left out.',
          queries: [
            ...one(`max(kontoport_webhook_oldest_due_seconds{${HERE}})`, 'due'),
            ...one(`max(kontoport_webhook_oldest_deferred_seconds{${HERE}})`, 'deferred'),
            ...one(`max(kontoport_webhook_unserved_seconds{${HERE}})`, 'left out'),
          ],
          unit: 's',
          limit: 60,
        },
      ],
    },
  ],
};

const PROCESSES: DashboardSpec = {
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

/** The dashboards of Grafana, by the name of their file. They draw what docs/operations/metrics.md says is measured. */
export const DASHBOARDS: Readonly<Record<string, DashboardSpec>> = {
  interfaces: INTERFACES,
  events: EVENTS,
  processes: PROCESSES,
};
