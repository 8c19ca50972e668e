import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readConfig } from '@kontoport/config';
import { describeWith } from '@kontoport/testing/describe-with';
import { testCa, testQwac } from '@kontoport/testing/qwac';
import { missingTools } from '../src/tools.ts';
import { type Example, EXAMPLES, type KubernetesObject, objectOf, podOf, render, template } from './chart.ts';
import { configOf, SERVICE_KEYS, SERVICES } from './services.ts';

/** Variables that are no configuration of a service: the platform's, and those of internal certificates. */
const ELSEWHERE = /^(OTEL_|POD_NAME$|INTERNAL_TLS)/;
const KEY = Buffer.alloc(32, 7).toString('base64url');
const SECRETS: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://role:password@postgresql.example:5432/database',
  SECRETS_KEY: KEY,
  CLIENT_SECRET_PEPPER: KEY,
};

describeWith('what the chart gives to services', { missing: missingTools() }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-environment-'));
  let tls: Record<string, string>;

  beforeAll(async () => {
    const ca = await testCa({ name: 'Internal' });
    const { chainPem, keyPem } = await testQwac({
      issuer: ca,
      organizationName: 'Bank',
      organizationIdentifier: 'PSDDK-DFSA-1',
    });
    tls = { 'ca.crt': ca.certificatePem, 'tls.crt': chainPem, 'tls.key': keyPem };
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The environment of a service, its files under a folder of the test. */
  const environmentOf = (objects: readonly KubernetesObject[], name: string): Record<string, string> => {
    const { env = [] } = podOf(objectOf(objects, 'Deployment', name))!.containers[0]!;
    const given = env.flatMap(({ name: variable, value }) =>
      value === undefined ? [] : [[variable, value] as const],
    );
    return Object.fromEntries(
      given.map(([variable, value]) => {
        if (!value.startsWith('/etc/kontoport/')) return [variable, value];
        const file = join(folder, value);
        mkdirSync(dirname(file), { recursive: true });
        const last = value.slice(value.lastIndexOf('/') + 1);
        if (value.includes('/secrets/')) writeFileSync(file, SECRETS[last] ?? 's'.repeat(40));
        else if (last in tls) writeFileSync(file, tls[last]!);
        return [variable, file];
      }),
    );
  };
  const prefixOf = (example: Example): string => (example === 'several-environments' ? 'kontoport' : 'bank');

  describe.each(EXAMPLES)('example %s', (example) => {
    it.each(SERVICE_KEYS)(
      'is a complete configuration of %s, and nothing that it does not read',
      async (key) => {
        const env = environmentOf(await render(example), `${prefixOf(example)}-${SERVICES[key]}`);
        const config = await configOf(key);
        expect(() => readConfig(config, env)).not.toThrow();
        const known = Object.keys(env).map((variable) =>
          variable.replace(/(?<!TLS_(CERT|KEY|CA))_FILE$/, ''),
        );
        expect(known.filter((variable) => !(variable in config) && !ELSEWHERE.test(variable))).toEqual([]);
      },
    );
  });

  it('names of its own for all clients of Kafka of one environment among several', async () => {
    const objects = await render('several-environments');
    for (const key of SERVICE_KEYS.filter((one) => one !== 'auth'))
      expect(environmentOf(objects, `kontoport-${SERVICES[key]}`)).toMatchObject({
        KAFKA_SASL_OAUTH_CLIENT_ID: `test-${SERVICES[key]}`,
      });
  });

  it.each([
    ['the one secret that the edge sends, too', {}, 'EDGE_SECRET'],
    ['several secrets, of which the edge sends one', { acceptedSecretsKey: 'ACCEPTED' }, 'ACCEPTED'],
  ])('%s', async (_what, edge, key) => {
    const objects = await render('sandbox', { edge });
    for (const service of SERVICE_KEYS)
      expect(podOf(objectOf(objects, 'Deployment', `bank-${SERVICES[service]}`))!.volumes).toContainEqual(
        expect.objectContaining({
          projected: expect.objectContaining({
            sources: expect.arrayContaining([
              { secret: { name: 'kontoport-edge', items: [{ key, path: 'EDGE_SECRET' }] } },
            ]),
          }),
        }),
      );
    expect(podOf(objectOf(objects, 'Deployment', 'bank-edge'))!.containers[0]!.env).toEqual([
      { name: 'EDGE_SECRET', valueFrom: { secretKeyRef: { name: 'kontoport-edge', key: 'EDGE_SECRET' } } },
    ]);
  });

  it('large numbers as they were written', async () => {
    const objects = await render('sandbox', { settings: { rateLimitClient: 1_000_000_000 } });
    expect(environmentOf(objects, 'bank-auth').RATE_LIMIT_CLIENT).toBe('1000000000');
  });

  it('off, which YAML takes for false where it has no quotes', async () => {
    const objects = await render('sandbox', {
      settings: { revocation: 'hard-fail' },
      services: { auth: { settings: { revocation: false } } },
    });
    expect(environmentOf(objects, 'bank-auth').REVOCATION).toBe('off');
    expect(environmentOf(objects, 'bank-payments').REVOCATION).toBe('hard-fail');
    expect(await template('sandbox', { settings: { revocation: true } })).toMatchObject({ code: 1 });
  });

  it('what one service is told instead of all', async () => {
    const objects = await render('sandbox', {
      settings: { logLevel: 'warn' },
      services: { auth: { settings: { logLevel: 'debug' } } },
    });
    expect(environmentOf(objects, 'bank-auth').LOG_LEVEL).toBe('debug');
    expect(environmentOf(objects, 'bank-payments').LOG_LEVEL).toBe('warn');
  });
});
