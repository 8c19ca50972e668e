import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '@kontoport/testing/describe-with';
import { parse } from 'yaml';
import { missingTools } from '../src/tools.ts';
import { CHART, type Example, type KubernetesObject, NAMESPACE, objectOf, render } from './chart.ts';

interface Alert {
  alert: string;
  expr: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

function alertsIn(objects: readonly KubernetesObject[]): Alert[] {
  const { spec } = objectOf(objects, 'PrometheusRule', 'bank');
  const { groups } = spec as { groups: { rules: Partial<Alert>[] }[] };
  return groups.flatMap(({ rules }) => rules).filter((rule): rule is Alert => rule.alert !== undefined);
}

describeWith('what the chart brings for Prometheus and Grafana', { missing: missingTools() }, () => {
  it('every group of rules, with what Prometheus is to fill in as it stands', async () => {
    const objects = await render('production');
    const { spec } = objectOf(objects, 'PrometheusRule', 'bank');
    const files = readdirSync(join(CHART, 'files/rules'));
    const groups = files.flatMap(
      (file) =>
        (parse(readFileSync(join(CHART, 'files/rules', file), 'utf8')) as { groups: object[] }).groups,
    );
    expect(groups.length).toBeGreaterThan(1);
    const [own, expected] = [groups.length, 1];
    const rendered = (spec as { groups: object[] }).groups;
    expect([rendered.slice(0, own), rendered.length]).toEqual([groups, own + expected]);
  });

  it('an alert for each service that never came up, where the operator names the namespace', async () => {
    const goneIn = async (example: Example, change: object): Promise<Alert[]> =>
      alertsIn(await render(example, change)).filter(
        ({ alert, expr }) => alert === 'KontoportServiceGone' && expr.startsWith('absent('),
      );
    const gone = await goneIn('production', {});
    expect(gone.map(({ labels }) => labels.service!).toSorted()).toEqual([
      'account-information',
      'auth',
      'payments',
      'registration',
      'webhook-dispatcher',
    ]);
    const { expr, labels } = gone.find(({ labels: { service } }) => service === 'auth')!;
    const told = (name: string): string =>
      `last_over_time(kontoport_build_info{namespace="${NAMESPACE}",${name}="auth"}[1d])`;
    expect(expr).toBe(`absent(${told('service')} or ${told('exported_service')})`);
    expect(labels).toEqual({ severity: 'critical', namespace: NAMESPACE, service: 'auth' });
    expect(await goneIn('production', { metrics: { serviceMonitor: { enabled: false } } })).toEqual([]);
  });

  it('the alerts with labels and the place of their pages as they are asked for', async () => {
    const prometheusRule = {
      runbookBaseUrl: 'https://wiki.bank.example/alerts/',
      alertLabels: { team: 'open-banking', severity: 'info' },
    };
    const alerts = alertsIn(await render('production', { metrics: { prometheusRule } }));
    expect(alerts.length).toBeGreaterThan(20);
    for (const { alert, labels, annotations } of alerts) {
      expect(labels).toMatchObject({ team: 'open-banking', severity: 'info' });
      expect(annotations.runbook_url).toBe(`https://wiki.bank.example/alerts/${alert}.md`);
    }
  });

  it('the alerts of certificates that end, at the days that are asked for', async () => {
    const prometheusRule = { certificateExpiryDays: { warning: 2, critical: 1 } };
    const objects = await render('production', { metrics: { prometheusRule } });
    const { spec } = objectOf(objects, 'PrometheusRule', 'bank');
    const { groups } = spec as { groups: { rules: { alert?: string; expr: string }[] }[] };
    const daysOf = (name: string): string | undefined =>
      /< (\d+) \* 86400/.exec(
        groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === name)?.expr ?? '',
      )?.[1];
    expect([daysOf('KontoportCertificateExpiring'), daysOf('KontoportCertificateExpiryCritical')]).toEqual([
      '2',
      '1',
    ]);
  });

  it('every dashboard, with what Grafana is to fill in as it stands', async () => {
    const dashboards = (await render('production')).filter(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.labels.grafana_dashboard === '1',
    );
    const files = readdirSync(join(CHART, 'files/dashboards'));
    expect(files.length).toBeGreaterThan(1);
    const brought = dashboards.flatMap(({ data }) =>
      Object.entries(data!).map(([file, text]): [string, object] => [file, JSON.parse(text) as object]),
    );
    expect(Object.fromEntries(brought)).toEqual(
      Object.fromEntries(
        files.map((file) => [
          file,
          JSON.parse(readFileSync(join(CHART, 'files/dashboards', file), 'utf8')) as object,
        ]),
      ),
    );
  });
});
