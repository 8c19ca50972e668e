import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { missingTool, toolCommand } from '@kontoport/repo/openapi-tools';
import { describeWith } from '@kontoport/testing/describe-with';
import type { StackFile } from '../src/stack-file.ts';

const FOLDER = join(import.meta.dirname, '../../../../proto/postman');

/** Requests that a new client can make from top to bottom. The others need an id that no answer has, or end something. */
const REQUESTS = [
  'POST {{registration_url}}/tpp',
  'GET {{registration_url}}/tpp/:clientId',
  'GET {{registration_url}}/tpp/:clientId/display-name',
  'GET {{auth_url}}/.well-known/jwks.json',
  'GET {{auth_url}}/.well-known/oauth-authorization-server',
  'POST {{auth_url}}/oauth2/token',
  'GET {{base_url}}/accounts',
  'GET {{base_url}}/accounts/:accountId/transactions',
  'GET {{base_url}}/accounts/:accountId/transactions/:transactionId',
  'GET {{base_url}}/v2/accounts/:accountId/transactions',
  'POST {{base_url}}/funds-confirmation',
  'POST {{base_url}}/payments/domestic-credit-transfer',
  'GET {{base_url}}/payments/domestic-credit-transfer',
  'GET {{base_url}}/payments/domestic-credit-transfer/:paymentId',
  'GET {{base_url}}/polling/:paymentId/status',
  'GET {{base_url}}/payments/standing-orders',
  'GET {{base_url}}/v1/webhook-subscriptions',
  'GET {{base_url}}/sandbox/accounts',
  'GET {{base_url}}/sandbox/clock',
  'GET {{base_url}}/errors/:errorCode',
];

interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly request?: { readonly method: string; readonly url: { readonly raw: string } };
}

interface Report {
  readonly run: {
    readonly stats: Readonly<Record<'requests' | 'assertions', { total: number; failed: number }>>;
    readonly failures: readonly { source?: { name: string }; error: { message: string } }[];
  };
}

/** Runs requests of the Postman collection against a stack, over a certificate of `folder`. */
export function describeCollection(stack: () => StackFile, folder: () => string): void {
  describeWith('the Postman collection (§9.5)', { missing: missingTool('newman') }, () => {
    it('has requests that work as they stand', async () => {
      const requests = (item: Item): Item[] => item.item?.flatMap(requests) ?? [item];
      const collection = join(FOLDER, 'kontoport.postman_collection.json');
      const all = requests(JSON.parse(readFileSync(collection, 'utf8')) as Item);
      const chosen = all.filter(({ request }) => REQUESTS.includes(`${request!.method} ${request!.url.raw}`));
      expect(chosen).toHaveLength(REQUESTS.length);
      const report = join(folder(), 'newman.json');
      const { baseUrl, registrationUrl, authUrl } = stack();
      const variables = { base_url: baseUrl, registration_url: registrationUrl, auth_url: authUrl };
      const options = {
        environment: join(FOLDER, 'local.postman_environment.json'),
        'ssl-client-cert': join(folder(), 'chain.pem'),
        'ssl-client-key': join(folder(), 'key.pem'),
        'ssl-extra-ca-certs': join(folder(), 'ca.pem'),
        reporters: 'json',
        'reporter-json-export': report,
      };
      const { file, args, env } = toolCommand('newman', [
        'run',
        collection,
        ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
        ...Object.entries(variables).flatMap((entry) => ['--env-var', entry.join('=')]),
        ...chosen.flatMap(({ name }) => ['--folder', name]),
      ]);
      await promisify(execFile)(file, args, { env }).catch(() => {}); // Its report has the failures.
      const { stats, failures } = (JSON.parse(readFileSync(report, 'utf8')) as Report).run;
      expect(failures.map(({ source, error }) => `${source?.name}: ${error.message}`)).toEqual([]);
      expect(stats.assertions).toMatchObject({ total: REQUESTS.length, failed: 0 });
    }, 60_000);
  });
}
