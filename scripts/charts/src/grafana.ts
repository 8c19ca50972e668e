// Dashboards as Grafana's JSON model has them: what ours need of it.

/** One line, or several, of a panel: `legend` names them by their labels. */
export interface Query {
  expr: string;
  legend: string;
}

/** What stands in one frame. */
export interface PanelSpec {
  title: string;
  /** What it says, and when to worry: shown beside the title. */
  description: string;
  queries: readonly Query[];
  /** Of the values, as Grafana names it: `s`, `reqps`, `percentunit`, `bytes`, … */
  unit: string;
  /** `stat` shows the last value of each line as a number, `timeseries` how it went. */
  kind?: 'stat' | 'timeseries';
  /** Drawn green below, then red: what an alert or an objective has as its limit. */
  limit?: number;
  /** Drawn red below, then green. */
  least?: number;
  /** What stands there while there is no line: of what is told only once it has happened. Elsewhere Grafana says that it has no data. */
  absent?: 'none';
  /** Of the 24 columns; a third of them unless said. */
  width?: 4 | 6 | 8 | 12 | 24;
  /** In rows of Grafana's grid; 5 of a stat, 8 of a timeseries unless said. */
  height?: number;
}

/** Panels under a heading. */
export interface RowSpec {
  title: string;
  panels: readonly PanelSpec[];
}

export interface DashboardSpec {
  /** By which links find it, whatever its title. */
  uid: string;
  title: string;
  description: string;
  rows: readonly RowSpec[];
}

const COLUMNS = 24;
const HEIGHTS = { stat: 5, timeseries: 8 } as const;
/** Beside a narrower graph a legend would leave no room for the lines. */
const WIDE = 12;
/** How far the axis goes at least, by unit. Else it would go to 100 (10000 %) where every line is 0, and noise would look like mountains. */
const AXES: Readonly<Record<string, number>> = { percentunit: 0.01, s: 0.1, short: 1 };
const RATE_AXIS = 0.1;
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

/** Chooses Prometheus, and among the environments that it knows: all, and those without a namespace, unless one is chosen. */
const VARIABLES = [
  { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
  {
    name: 'namespace',
    label: 'Environment',
    type: 'query',
    datasource: DATASOURCE,
    query: { query: 'label_values(kontoport_build_info, namespace)', refId: 'namespace' },
    refresh: 2,
    sort: 1,
    includeAll: true,
    allValue: '.*',
    multi: true,
    current: { text: ['All'], value: ['$__all'] },
  },
];

/** The dashboard as Grafana reads it; the rows' panels stand side by side from the left. */
export function renderDashboard({ uid, title, description, rows }: DashboardSpec): object {
  const panels: object[] = [];
  let y = 0;
  for (const row of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
      panels: [],
    });
    y += 1;
    let x = 0;
    let lineHeight = 0;
    for (const spec of row.panels) {
      const { width: w = 8, kind = 'timeseries', height: h = HEIGHTS[kind] } = spec;
      if (x + w > COLUMNS) {
        x = 0;
        y += lineHeight;
        lineHeight = 0;
      }
      const gridPos = { x, y, w, h };
      panels.push({
        id: panels.length + 1,
        gridPos,
        ...(kind === 'stat' ? stat(spec) : timeseries(spec, w)),
      });
      x += w;
      lineHeight = Math.max(lineHeight, h);
    }
    y += lineHeight;
  }
  return {
    uid,
    title,
    description,
    tags: ['kontoport'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    links: [
      {
        type: 'dashboards',
        title: 'Kontoport',
        tags: ['kontoport'],
        asDropdown: true,
        includeVars: true,
        keepTime: true,
        targetBlank: false,
        icon: 'external link',
        tooltip: '',
      },
    ],
    templating: { list: VARIABLES },
    panels,
  };
}

/** What panels of both kinds have. */
function frame(spec: PanelSpec, isInstant: boolean): object {
  const { title, description, queries } = spec;
  return {
    title,
    description,
    datasource: DATASOURCE,
    targets: queries.map(({ expr, legend }, at) => ({
      refId: String.fromCodePoint('A'.codePointAt(0)! + at),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
      ...(isInstant ? { instant: true } : { range: true }),
    })),
  };
}

function defaults({ unit, limit, least, absent }: PanelSpec): object {
  const first = { color: least === undefined ? 'green' : 'red', value: null };
  const steps = [
    first,
    ...(least === undefined ? [] : [{ color: 'green', value: least }]),
    ...(limit === undefined ? [] : [{ color: 'red', value: limit }]),
  ];
  return {
    unit,
    min: 0,
    ...(absent !== undefined && { noValue: absent }),
    thresholds: { mode: 'absolute', steps },
  };
}

function stat(spec: PanelSpec): object {
  // A list, or the number of one line would stand beside the name of the next.
  const isList = spec.queries.some(({ legend }) => legend.includes('{{'));
  return {
    type: 'stat',
    ...frame(spec, true),
    fieldConfig: { defaults: { ...defaults(spec), color: { mode: 'thresholds' } }, overrides: [] },
    options: {
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      orientation: 'horizontal',
      textMode: isList ? 'value_and_name' : 'value',
      ...(isList && { text: { titleSize: 12, valueSize: 16 } }),
    },
  };
}

function timeseries(spec: PanelSpec, width: number): object {
  const { unit, limit } = spec;
  const custom = {
    fillOpacity: 8,
    lineWidth: 1,
    // Of what is seldom asked a quantile has single points, which no line shows.
    showPoints: 'auto',
    axisSoftMax: AXES[unit] ?? RATE_AXIS,
    thresholdsStyle: { mode: limit === undefined ? 'off' : 'dashed' },
  };
  return {
    type: 'timeseries',
    ...frame(spec, false),
    fieldConfig: {
      defaults: { ...defaults(spec), color: { mode: 'palette-classic' }, custom },
      overrides: [],
    },
    options: {
      legend: {
        displayMode: 'table',
        placement: width < WIDE ? 'bottom' : 'right',
        calcs: ['lastNotNull', 'max'],
        // The room is for a few: they are those that stand out.
        sortBy: 'Max',
        sortDesc: true,
        showLegend: true,
      },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  };
}
