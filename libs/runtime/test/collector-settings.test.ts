import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMetrics } from '@kontoport/testing/metrics';
import { type TlsFiles, tlsFolder, type TlsFolder } from '@kontoport/testing/tls';
import { readCollector } from '../src/collector-settings.ts';
import { startOpsServer } from '../src/ops-server.ts';
import { TracingVariables } from '../src/tracing-variables.ts';

let tls: TlsFolder;
let [one, other]: TlsFiles[] = [];

beforeAll(async () => {
  tls = await tlsFolder();
  one = await tls.issue('one', 'client');
  other = await tls.issue('other', 'client');
});
afterAll(() => tls.remove());

const textOf = (file: string): string => readFileSync(file, 'utf8');

/** Variables by what follows OTEL_EXPORTER_OTLP_. */
function read(given: Record<string, string>) {
  const env = { ENDPOINT: 'https://collector:4318', ...given };
  const variables = new TracingVariables(
    Object.fromEntries(Object.entries(env).map(([name, text]) => [`OTEL_EXPORTER_OTLP_${name}`, text])),
  );
  return { files: readCollector(variables)!.tls, faults: variables.faults };
}

describe('the files of TLS with a collector', () => {
  it('are read, those of traces alone first, and their end is told', async () => {
    const { files, faults } = read({
      CERTIFICATE: tls.ca,
      CLIENT_CERTIFICATE: one!.cert,
      CLIENT_KEY: one!.key,
      TRACES_CLIENT_CERTIFICATE: other!.cert,
      TRACES_CLIENT_KEY: other!.key,
    });
    const [ca, cert, key] = [tls.ca, other!.cert, other!.key].map(textOf);
    expect(files!()).toMatchObject({ ca, cert, key });
    expect(faults).toEqual([]);
    const ops = await startOpsServer({ service: 'test', host: '127.0.0.1', port: 0, readiness: {} });
    const { families } = await readMetrics(ops.port);
    await ops.close();
    expect(families.get('kontoport_certificate_end_seconds')!.series).toContainEqual({
      name: 'kontoport_certificate_end_seconds',
      labels: { kontoport_certificate: 'collector' },
      value: new X509Certificate(cert!).validToDate.getTime() / 1_000,
    });
  });

  it('need not name an authority: it is one that Node knows', () => {
    const { files, faults } = read({ CLIENT_CERTIFICATE: one!.cert, CLIENT_KEY: one!.key });
    expect(files!()).toMatchObject({ cert: textOf(one!.cert) });
    expect(files!()).not.toHaveProperty('ca');
    expect(faults).toEqual([]);
  });

  it.each([
    [
      () => ({ CERTIFICATE: join(tls.ca, 'none') }),
      'OTEL_EXPORTER_OTLP_CERTIFICATE: the file cannot be read (ENOTDIR)',
    ],
    [
      () => ({ CLIENT_CERTIFICATE: one!.cert }),
      'OTEL_EXPORTER_OTLP_CLIENT_KEY: missing, OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE is given',
    ],
    [
      () => ({ TRACES_CLIENT_CERTIFICATE: one!.cert, CLIENT_KEY: other!.key }),
      'OTEL_EXPORTER_OTLP_CLIENT_KEY: it is not the key of the first certificate in OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE',
    ],
  ])('are told where they cannot be used, and nothing is sent without them: %#', (given, fault) => {
    const { files, faults } = read(given());
    expect(faults).toEqual([fault]);
    expect(() => files!()).toThrow(fault);
  });

  it('may come late, and be replaced: half a replacement is reported and changes nothing', () => {
    const [cert, key] = [join(tls.ca, '../late.pem'), join(tls.ca, '../late-key.pem')];
    const { files } = read({ CLIENT_CERTIFICATE: cert, CLIENT_KEY: key });
    expect(() => files!()).toThrow('the file cannot be read (ENOENT)');
    const put = ({ cert: from, key: fromKey }: TlsFiles, isWhole: boolean): void => {
      tls.write('late.pem', textOf(from));
      if (isWhole) tls.write('late-key.pem', textOf(fromKey));
    };
    put(one!, true);
    expect(files!()).toMatchObject({ cert: textOf(one!.cert) });
    put(other!, false);
    const reported: string[] = [];
    expect(files!((fault) => reported.push(fault))).toMatchObject({ cert: textOf(one!.cert) });
    expect(reported).toEqual([
      'OTEL_EXPORTER_OTLP_CLIENT_KEY: it is not the key of the first certificate in OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE',
    ]);
    put(other!, true);
    expect(files!()).toMatchObject({ cert: textOf(other!.cert), key: textOf(other!.key) });
  });
});
