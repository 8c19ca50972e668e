import { describeWith } from '@kontoport/testing/describe-with';
import { missingTools } from '../src/tools.ts';
import { type Container, objectOf, podOf, type PodSpec, render } from './chart.ts';

const endpoint = 'https://collector.example:4318';

const authOf = async (tracing: object): Promise<PodSpec & { env: NonNullable<Container['env']> }> => {
  const pod = podOf(objectOf(await render('sandbox', { tracing }), 'Deployment', 'bank-auth'))!;
  return { ...pod, env: pod.containers[0]!.env! };
};
const ofCollector = ({ env }: { env: NonNullable<Container['env']> }): unknown =>
  env.filter(({ name }) => name.startsWith('OTEL_EXPORTER_OTLP_'));

describeWith('a collector of traces', { missing: missingTools() }, () => {
  it('is believed by its authority, and shown a certificate, from files that are read again', async () => {
    const auth = await authOf({
      endpoint,
      tls: { caFrom: { configMap: 'collector-ca', key: 'root.pem' }, clientCertificate: 'for-collector' },
    });
    expect(ofCollector(auth)).toEqual([
      { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: endpoint },
      { name: 'OTEL_EXPORTER_OTLP_CERTIFICATE', value: '/etc/kontoport/tracing-tls/ca.crt' },
      { name: 'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE', value: '/etc/kontoport/tracing-tls/tls.crt' },
      { name: 'OTEL_EXPORTER_OTLP_CLIENT_KEY', value: '/etc/kontoport/tracing-tls/tls.key' },
    ]);
    expect(auth.containers[0]!.volumeMounts).toContainEqual({
      name: 'tracing-tls',
      mountPath: '/etc/kontoport/tracing-tls',
      readOnly: true,
    });
    const pair = ['tls.crt', 'tls.key'].map((key) => ({ key, path: key }));
    expect(auth.volumes!.find(({ name }) => name === 'tracing-tls')).toMatchObject({
      projected: {
        sources: [
          { configMap: { name: 'collector-ca', items: [{ key: 'root.pem', path: 'ca.crt' }] } },
          { secret: { name: 'for-collector', items: pair } },
        ],
      },
    });
  });

  it('is believed by the authorities of the image, if nothing is said', async () => {
    const auth = await authOf({ endpoint });
    expect(ofCollector(auth)).toEqual([{ name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: endpoint }]);
    expect(auth.volumes!.map(({ name }) => name)).not.toContain('tracing-tls');
  });

  it('is sent headers of a Secret', async () => {
    const auth = await authOf({
      endpoint: 'http://collector:4318',
      headers: { existingSecret: 'collector' },
    });
    expect(auth.env).toContainEqual({
      name: 'OTEL_EXPORTER_OTLP_HEADERS',
      valueFrom: { secretKeyRef: { name: 'collector', key: 'OTEL_EXPORTER_OTLP_HEADERS' } },
    });
  });
});
