import type { DashboardSpec, PanelSpec } from '../grafana.ts';
import { HERE, one, quantile, rate } from './queries.ts';

const REQUESTS = 'http_server_request_duration_seconds';

/** The share of an objective that was used up, by interface. */
const spent = (title: string, ratio: string, limit: number): PanelSpec => ({
  title,
  description: `Of the requests. The objective over 30 days is ${limit * 100} %.`,
  queries: one(`${ratio}{${HERE}}`, '{{interface}}'),
  unit: 'percentunit',
  kind: 'stat',
  limit,
});

export const INTERFACES: DashboardSpec = {
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
