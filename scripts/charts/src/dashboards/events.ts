import type { DashboardSpec } from '../grafana.ts';
import { halfAndMost, HERE, one, quantile, rate } from './queries.ts';

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
