import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isLoopback, reloadableTls, tlsFaults } from '@kontoport/internal-tls';
import { startOpsServer } from '@kontoport/lifecycle';
import { readMetrics } from '@kontoport/testing/metrics';
import { type TlsFiles, tlsFolder, type TlsFolder } from '@kontoport/testing/tls';

let tls: TlsFolder;
let client: TlsFiles;
let other: TlsFiles;

beforeAll(async () => {
  tls = await tlsFolder();
  client = await tls.issue('client', 'client');
  other = await tls.issue('other', 'client');
});
afterAll(() => tls.remove());

describe('the files of a TLS connection', () => {
  it('are a CA, or those that Node knows, and a client certificate with its key where there is one', () => {
    const always = { rejectUnauthorized: true, minVersion: 'TLSv1.2' };
    const ca = readFileSync(tls.ca, 'utf8');
    expect(reloadableTls('KAFKA', {})).toBeUndefined();
    expect(reloadableTls('KAFKA', { KAFKA_TLS_CA: 'system' })!()).toEqual(always);
    expect(reloadableTls('KAFKA', { KAFKA_TLS_CA: tls.ca })!()).toEqual({ ...always, ca });
    const { cert, key } = client;
    expect(
      reloadableTls('DATABASE', {
        DATABASE_TLS_CA: tls.ca,
        DATABASE_TLS_CERT: cert,
        DATABASE_TLS_KEY: key,
      })!(),
    ).toEqual({ ...always, ca, cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') });
  });

  it('are all judged at once', () => {
    const text = tls.write('text.pem', 'no certificate');
    const broken = tls.write('broken.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const { cert, key } = client;
    const of = (given: Record<string, string>): readonly string[] => tlsFaults('KAFKA', given);
    expect(of({ KAFKA_TLS_CA: tls.ca, KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: key })).toEqual([]);
    expect(of({ KAFKA_TLS_CA: text, KAFKA_TLS_CERT: broken, KAFKA_TLS_KEY: tls.ca })).toEqual([
      'KAFKA_TLS_CA: the file holds no certificate in PEM',
      'KAFKA_TLS_CERT: the file holds a certificate that cannot be read',
      'KAFKA_TLS_KEY: the file must contain an unencrypted private key in PEM',
    ]);
    expect(of({ KAFKA_TLS_CA: `${tls.ca}.absent` })).toEqual([
      'KAFKA_TLS_CA: the file cannot be read (ENOENT)',
    ]);
    expect(of({ KAFKA_TLS_CERT: cert })).toEqual([
      'KAFKA_TLS_CA: missing; a client certificate needs it (a file, or "system")',
      'KAFKA_TLS_KEY: missing, KAFKA_TLS_CERT is given',
    ]);
    expect(of({ KAFKA_TLS_CA: tls.ca, KAFKA_TLS_KEY: key })).toEqual([
      'KAFKA_TLS_CERT: missing, KAFKA_TLS_KEY is given',
    ]);
    expect(of({ KAFKA_TLS_CA: tls.ca, KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: other.key })).toEqual([
      'KAFKA_TLS_KEY: it is not the key of the first certificate in KAFKA_TLS_CERT',
    ]);
  });

  it('are no pipes, for which the process would wait', async () => {
    const pipe = join(dirname(tls.ca), 'pipe.pem');
    await promisify(execFile)('mkfifo', [pipe]);
    expect(tlsFaults('KAFKA', { KAFKA_TLS_CA: pipe })).toEqual(['KAFKA_TLS_CA: the file is empty']);
  });

  it('are read again; half a replacement is reported and changes nothing', async () => {
    const { cert, key } = await tls.issue('changing', 'client');
    const read = reloadableTls('KAFKA', { KAFKA_TLS_CA: tls.ca, KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: key })!;
    const reported: string[] = [];
    const first = read();
    tls.write('changing.pem', readFileSync(other.cert, 'utf8'));
    expect(read((fault) => reported.push(fault))).toEqual(first);
    expect(reported).toEqual(['KAFKA_TLS_KEY: it is not the key of the first certificate in KAFKA_TLS_CERT']);
    tls.write('changing-key.pem', readFileSync(other.key, 'utf8'));
    expect(read()).toEqual({
      ...first,
      cert: readFileSync(other.cert, 'utf8'),
      key: readFileSync(other.key, 'utf8'),
    });
  });
});

describe('when a certificate ends', () => {
  const endOf = (file: string): number =>
    new X509Certificate(readFileSync(file)).validToDate.getTime() / 1_000;
  /** Values of /metrics, by the use of the certificate. */
  const told = async (): Promise<Record<string, number>> => {
    const ops = await startOpsServer({ service: 'test', host: '127.0.0.1', port: 0, readiness: {} });
    try {
      const { series } = (await readMetrics(ops.port)).families.get(
        'kontoport_certificate_expiration_timestamp_seconds',
      )!;
      return Object.fromEntries(series.map(({ labels, value }) => [labels.kontoport_certificate, value]));
    } finally {
      await ops.close();
    }
  };

  it('is told of the one in use, also after it was replaced; a broken one changes nothing, and is still reported', async () => {
    const { cert, key } = await tls.issue('ending', 'client');
    const given = { BANK_TLS_CA: tls.ca, BANK_TLS_CERT: cert, BANK_TLS_KEY: key };
    reloadableTls('DATABASE', { DATABASE_TLS_CA: tls.ca });
    const read = reloadableTls('BANK', given)!;
    const first = endOf(cert);
    expect(await told()).toMatchObject({ bank: first });
    expect(await told()).not.toHaveProperty('database');
    const past = await tls.issue('past', 'client', { isExpired: true });
    tls.write('ending.pem', readFileSync(past.cert, 'utf8'));
    expect(await told()).toMatchObject({ bank: first });
    const reported: string[] = [];
    read((fault) => reported.push(fault));
    expect(reported).toEqual(['BANK_TLS_KEY: it is not the key of the first certificate in BANK_TLS_CERT']);
    tls.write('ending-key.pem', readFileSync(past.key, 'utf8'));
    expect(await told()).toMatchObject({ bank: endOf(past.cert) });
  });
});

describe('this machine', () => {
  it.each(['localhost', 'broker.localhost', '127.0.0.1', '127.255.0.9', '::1', '[::1]'])('is %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(['localhost.example', '128.0.0.1', '0.0.0.0', '::2', '127.0.0.1.example', ''])(
    'is not %j',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});
