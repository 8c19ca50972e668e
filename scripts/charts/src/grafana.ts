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
  /** Of the 24 columns; a third of them unless said. */
  width?: 8 | 12 | 24;
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
      const { width: w = 8, kind = 'timeseries' } = spec;
      if (x + w > COLUMNS) {
        x = 0;
        y += lineHeight;
        lineHeight = 0;
      }
      const h = HEIGHTS[kind];
      panels.push({ id: panels.length + 1, gridPos: { x, y, w, h }, ...renderPanel(spec, kind) });
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

function renderPanel(spec: PanelSpec, kind: 'stat' | 'timeseries'): object {
  const { title, description, queries, unit, limit } = spec;
  const steps = [
    { color: 'green', value: null },
    ...(limit === undefined ? [] : [{ color: 'red', value: limit }]),
  ];
  const isStat = kind === 'stat';
  return {
    type: kind,
    title,
    description,
    datasource: DATASOURCE,
    targets: queries.map(({ expr, legend }, at) => ({
      refId: String.fromCodePoint('A'.codePointAt(0)! + at),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
      ...(isStat ? { instant: true } : { range: true }),
    })),
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        noValue: 'none',
        color: { mode: isStat ? 'thresholds' : 'palette-classic' },
        thresholds: { mode: 'absolute', steps },
        ...(!isStat && {
          custom: {
            fillOpacity: 8,
            lineWidth: 1,
            showPoints: 'never',
            thresholdsStyle: { mode: limit === undefined ? 'off' : 'dashed' },
          },
        }),
      },
      overrides: [],
    },
    options: isStat
      ? { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false }, textMode: 'auto' }
      : {
          legend: { displayMode: 'table', placement: 'bottom', calcs: ['mean', 'max'], showLegend: true },
          tooltip: { mode: 'multi', sort: 'desc' },
        },
  };
}
