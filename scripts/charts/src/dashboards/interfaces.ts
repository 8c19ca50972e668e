import type { DashboardSpec, PanelSpec } from '../grafana.ts';
import { HERE, one, quantile, rate } from './queries.ts';

const REQUESTS = 'http_server_request_duration_seconds';
const BY_ROUTE = 'http_request_method, http_route';

/** The ratio of each interface; of several environments the worst. */
const ratio = (recorded: string): string => `max by (interface) (${recorded}{${HERE}})`;

const WINDOWS = { hour: '1h', day: '1d', '3 days': '3d' } as const;

/** The share of an objective that was used up, by interface: of the last hour, day and three days. */
const spent = ({
  name,
  of,
  recorded,
  limit,
}: Record<'name' | 'of' | 'recorded', string> & { limit: number }) =>
  Object.entries(WINDOWS).map(([window, suffix]): PanelSpec => ({
    title: `${name}, last ${window}`,
    description: `${of}; at most ${limit * 100} % over 30 days is the objective. Of several environments the worst.`,
    queries: one(ratio(`${recorded}:ratio${suffix}`), '{{interface}}'),
    unit: 'percentunit',
    kind: 'stat',
    limit,
    width: 4,
    height: 7,
  }));

const slowest = (range: string): string =>
  quantile({ q: 0.99, metric: REQUESTS, by: BY_ROUTE, matchers: ',http_route!=""', range });

const BY_FAULT = `${BY_ROUTE}, http_response_status_code`;
const failing = (range: string): string =>
  `sum by (${BY_FAULT}) (rate(${REQUESTS}_count{${HERE},http_response_status_code=~"5.."}${range}))`;

export const INTERFACES: DashboardSpec = {
  uid: 'kontoport-interfaces',
  title: 'Kontoport: what TPPs get',
  description: 'How each interface answers, and why it does not.',
  rows: [
    {
      title: 'Objectives',
      panels: [
        ...spent({
          name: 'Failed',
          of: 'Answered 5xx, of all',
          recorded: 'kontoport:interface_errors',
          limit: 0.001,
        }),
        ...spent({
          name: 'Slow',
          of: 'Took over a second, of those whose time the bank decides',
          recorded: 'kontoport:interface_slow',
          limit: 0.01,
        }),
      ],
    },
    {
      title: 'Interfaces',
      panels: [
        {
          title: 'Requests that failed',
          description:
            'Answered 5xx, of all. Above the line somebody is woken. Of several environments the worst.',
          queries: one(ratio('kontoport:interface_errors:ratio5m'), '{{interface}}'),
          unit: 'percentunit',
          limit: 0.0144,
          width: 12,
        },
        {
          title: 'Requests that took over a second',
          description:
            'Of those whose time the bank decides. Above the line somebody is woken. Of several environments the worst.',
          queries: one(ratio('kontoport:interface_slow:ratio5m'), '{{interface}}'),
          unit: 'percentunit',
          limit: 0.144,
          width: 12,
        },
        {
          title: 'Requests',
          description: 'What TPPs ask. A sudden end is as bad as a rise of errors.',
          queries: one(`sum by (interface) (kontoport:interface_requests:rate5m{${HERE}})`, '{{interface}}'),
          unit: 'reqps',
          width: 12,
        },
        {
          title: 'Requests under way',
          description:
            'How many each service is answering. A rise without more requests: it waits for something.',
          queries: one(`sum by (job) (http_server_active_requests{${HERE}})`, '{{job}}'),
          unit: 'short',
          width: 12,
        },
      ],
    },
    {
      title: 'Routes',
      panels: [
        {
          title: 'The ten slowest routes, p99',
          description:
            'The time within which 99 of 100 requests were answered, of the ten routes that were the slowest of all that is shown. 10 s stands for more, too.',
          // Chosen once: else each step had ten of its own, and the lines of dozens came and went.
          queries: one(
            `${slowest('[$__rate_interval]')} and on (${BY_ROUTE}) topk(10, ${slowest('[$__range] @ end()')} > 0)`,
            '{{http_request_method}} {{http_route}}',
          ),
          unit: 's',
          width: 24,
        },
        {
          title: 'Routes that fail',
          description: 'Answers 5xx by route, of those that had any in what is shown.',
          // Every route tells of both from 0 on.
          queries: one(
            `${failing('[$__rate_interval]')} and on (${BY_FAULT}) ${failing('[$__range] @ end()')} > 0`,
            '{{http_response_status_code}} {{http_request_method}} {{http_route}}',
          ),
          unit: 'reqps',
          absent: 'none',
          width: 24,
        },
        {
          title: 'Refusals by their code',
          description:
            'What TPPs are told. UNAVAILABLE is the bank’s own; CERTIFICATE_… and TOKEN_… of many TPPs at once may be, too.',
          queries: one(rate(`${REQUESTS}_count`, 'error_type', ',error_type!=""'), '{{error_type}}'),
          unit: 'reqps',
          absent: 'none',
          width: 24,
        },
      ],
    },
  ],
};
