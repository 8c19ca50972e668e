import type { DashboardSpec } from '../grafana.ts';
import { HERE, one, PER_SECOND, quantile, rate } from './queries.ts';

const TOPIC = 'messaging_destination_name';
const GROUP = 'messaging_consumer_group_name';
const OF_TOPIC = '{{messaging_destination_name}}';
const OF_GROUP = `${OF_TOPIC} {{messaging_consumer_group_name}}`;
const ATTEMPTS = 'kontoport_webhook_attempt_duration_seconds';

const receiversTake = (q: number): string =>
  quantile({ q, metric: ATTEMPTS, matchers: ',outcome="accepted"' });

export const EVENTS: DashboardSpec = {
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
          width: 6,
        },
        {
          title: 'Members of consumer groups',
          description: 'Replicas that records come to. With 0 nothing comes to the service.',
          queries: one(
            `sum by (${GROUP}) (kontoport_consumer_member{${HERE}})`,
            '{{messaging_consumer_group_name}}',
          ),
          unit: 'short',
          kind: 'stat',
          least: 1,
          width: 6,
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
          width: 6,
        },
        {
          title: 'Oldest due delivery',
          description: 'Of subscriptions that no replica has claimed: more replicas lower it.',
          queries: one(`max(kontoport_webhook_oldest_due_seconds{${HERE}})`, 'due'),
          unit: 's',
          kind: 'stat',
          limit: 60,
          width: 6,
        },
      ],
    },
    {
      title: 'Kafka',
      panels: [
        {
          title: 'Events sent',
          description: 'Those that the broker took.',
          queries: one(rate('messaging_client_sent_messages_total', TOPIC), OF_TOPIC),
          unit: PER_SECOND,
          width: 12,
        },
        {
          title: 'Records consumed',
          description: 'Those that are done with. Below what is sent a backlog grows.',
          queries: one(rate('messaging_client_consumed_messages_total', `${TOPIC}, ${GROUP}`), OF_GROUP),
          unit: PER_SECOND,
          width: 12,
        },
        {
          title: 'From the broker to done, p90',
          description: 'How late nine of ten records are, by topic. 10 s stands for more, too.',
          queries: one(
            quantile({ q: 0.9, metric: 'kontoport_consumer_delay_seconds', by: `${TOPIC}, ${GROUP}` }),
            OF_GROUP,
          ),
          unit: 's',
          limit: 5,
        },
        {
          title: 'Batches that failed',
          description: 'Each is tried again, so one that fails for ever stops its partition.',
          queries: one(
            rate('messaging_process_duration_seconds_count', `${TOPIC}, ${GROUP}`, ',outcome="failed"'),
            OF_GROUP,
          ),
          unit: PER_SECOND,
          absent: 'none',
        },
        {
          title: 'Dead letters',
          description: 'Records that could not be read, since the processes began.',
          queries: one(`sum by (${TOPIC}) (kontoport_dead_letters_total{${HERE}})`, OF_TOPIC),
          unit: 'short',
          limit: 1,
          absent: 'none',
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
          queries: one(rate(`${ATTEMPTS}_count`, 'outcome'), '{{outcome}}'),
          unit: PER_SECOND,
          width: 12,
        },
        {
          title: 'How long receivers take',
          description: 'Those that accepted. 10 s stands for more, too.',
          queries: [
            { expr: receiversTake(0.5), legend: 'accepted p50' },
            { expr: receiversTake(0.99), legend: 'accepted p99' },
          ],
          unit: 's',
          width: 12,
        },
        {
          title: 'Deliveries that wait',
          description:
            'The oldest that is due; the oldest event of which some are still to be made; and for how long somebody is left out.',
          queries: [
            ...one(`max(kontoport_webhook_oldest_due_seconds{${HERE}})`, 'due'),
            ...one(`max(kontoport_webhook_oldest_deferred_seconds{${HERE}})`, 'deferred'),
            ...one(`max(kontoport_webhook_unserved_seconds{${HERE}})`, 'left out'),
          ],
          unit: 's',
          limit: 60,
          width: 12,
        },
        {
          title: 'Events with deliveries still to be made',
          description: 'Of organizations that got too much for a turn. 10000 stands for more, too.',
          queries: one(`max(kontoport_webhook_deferred{${HERE}})`, 'deferred'),
          unit: 'short',
          width: 12,
        },
      ],
    },
  ],
};
