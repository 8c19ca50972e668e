import { EVENTS } from './dashboards/events.ts';
import { INTERFACES } from './dashboards/interfaces.ts';
import { PROCESSES } from './dashboards/processes.ts';
import type { DashboardSpec } from './grafana.ts';

/** The dashboards of Grafana, by the name of their file. They draw what docs/operations/metrics.md says is measured. */
export const DASHBOARDS: Readonly<Record<string, DashboardSpec>> = {
  interfaces: INTERFACES,
  events: EVENTS,
  processes: PROCESSES,
};
