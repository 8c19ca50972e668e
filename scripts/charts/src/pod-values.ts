import {
  closed,
  flag,
  labels,
  listOf,
  objectName,
  oneOf,
  open,
  text,
  texts,
  whole,
} from './building-blocks.ts';
import type { JsonSchema } from './json-schema.ts';

/** So many pods, or percent of them. */
const podsOrShare = (minimum: 0 | 1): JsonSchema => ({
  type: ['integer', 'string'],
  minimum,
  pattern: minimum === 0 ? '^([0-9]|[1-9][0-9]|100)%$' : '^([1-9][0-9]?|100)%$',
});
const anything: JsonSchema = { type: 'object' };
/** Of Kubernetes, as far as the chart needs to know it. */
const named = (more: Record<string, JsonSchema>, required: string[]): JsonSchema => ({
  type: 'object',
  required: ['name', ...required],
  properties: { name: { type: 'string', minLength: 1 }, ...more },
});
const variable: JsonSchema = {
  ...named({ value: { type: 'string' }, valueFrom: anything }, []),
  additionalProperties: false,
};

/** What can be chosen for the pods of every service alike, and for those of one. */
export function podValues(): Record<string, JsonSchema> {
  return {
    replicas: whole('Replicas, where nothing scales them.', { default: 2, minimum: 0, maximum: 1_000 }),
    resources: closed('Requests and limits of the container.', {
      requests: open('', {
        default: { cpu: '100m', memory: '192Mi' },
        additionalProperties: { type: ['string', 'number'] },
      }),
      limits: open('', {
        default: { memory: '768Mi' },
        additionalProperties: { type: ['string', 'number'] },
      }),
    }),
    autoscaling: closed('A HorizontalPodAutoscaler. Each replica opens its pools of database connections.', {
      enabled: flag('Scale by use of the processor.', false),
      minReplicas: whole('', { default: 2, minimum: 1 }),
      maxReplicas: whole('', { default: 6, minimum: 1 }),
      targetCPUUtilizationPercentage: whole('Percent of the request.', {
        default: 70,
        minimum: 1,
        maximum: 1_000,
      }),
    }),
    podDisruptionBudget: closed(
      'How many pods may be taken away at a time, such as when a node is drained.',
      {
        enabled: flag('', true),
        maxUnavailable: {
          ...podsOrShare(1),
          description: 'Pods, or a share such as `50%`; with none no node could be drained.',
          default: 1,
        },
      },
    ),
    topologySpread: closed('How pods spread over zones and nodes.', {
      enabled: flag('', true),
      whenUnsatisfiable: {
        ...text('', { default: 'ScheduleAnyway' }),
        enum: ['ScheduleAnyway', 'DoNotSchedule'],
      },
    }),
    preStopSeconds: whole(
      'How long a pod that is to end still takes requests, until nobody sends it any. The drain of 25 s comes after it, and terminationGracePeriodSeconds is the sum and 5 s more.',
      { default: 5, minimum: 0, maximum: 300 },
    ),
    updateStrategy: closed(
      'Of the Deployment (`type`, `rollingUpdate`); a rolling update that takes no pod away too early, if nothing is said.',
      {
        type: oneOf('', ['RollingUpdate', 'Recreate']),
        rollingUpdate: closed('', { maxSurge: podsOrShare(0), maxUnavailable: podsOrShare(0) }),
      },
      { default: {} },
    ),
    podAnnotations: texts('', { default: {} }),
    podLabels: labels(''),
    nodeSelector: labels(''),
    tolerations: listOf('', anything),
    affinity: open('', { default: {} }),
    priorityClassName: objectName(''),
    extraEnv: listOf('Environment variables of the container, beside those that the chart gives.', variable),
    extraVolumes: listOf('', named({}, [])),
    extraVolumeMounts: listOf('', named({ mountPath: { type: 'string', minLength: 1 } }, ['mountPath'])),
    extraEgress: listOf('Rules of the NetworkPolicy, for what extra parts speak to.', anything),
    extraIngress: listOf('', anything),
  };
}

/** KEDA for the webhook dispatcher. */
export function kedaValues(): JsonSchema {
  return closed('A ScaledObject of KEDA, by the age of the oldest due delivery, instead of `autoscaling`.', {
    enabled: flag('', false),
    prometheus: text('Address of the Prometheus that is asked.', {
      default: 'http://prometheus-operated.monitoring.svc:9090',
      pattern: '^https?://',
    }),
    oldestDueSeconds: whole('Another replica for each so many seconds that the oldest delivery is late.', {
      default: 10,
      minimum: 1,
    }),
    minReplicas: whole('', { default: 2, minimum: 1 }),
    maxReplicas: whole('', { default: 6, minimum: 1 }),
    pollingInterval: whole('Seconds.', { default: 30, minimum: 1 }),
    cooldownPeriod: whole('Seconds.', { default: 300, minimum: 0 }),
    authenticationRef: objectName('A TriggerAuthentication, where Prometheus wants to know who asks.'),
  });
}

/** Secrets by the variable they become; each from the service's Secret unless it says another. */
export function secretValues(secrets: readonly string[]): JsonSchema {
  return closed(
    'Where single secrets stand, when not in `existingSecret` under the name of their variable.',
    Object.fromEntries(
      secrets.map((key) => [
        key,
        closed('', { name: objectName('The Secret.'), key: text('The key in it.', { minLength: 1 }) }),
      ]),
    ),
  );
}
