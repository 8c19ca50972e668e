import { ERROR_CODES } from '@kontoport/errors';
import type { Check } from '../check.ts';
import { ADDRESSES } from '../config.ts';
import { expectHeader, expectStatus, expectThat, type Json, listOf, textOf } from '../expectations.ts';
import type { Tpp } from '../tpp.ts';

/** Reads a public document without certificate and token. */
const read = async (tpp: Tpp, at: (typeof ADDRESSES)[number], path: string): Promise<Json> =>
  expectStatus(await tpp.send(path, { at, token: null, over: tpp.deployment.anonymous }), 200);

/** Metadata and descriptions, which are public. */
export const documentChecks: readonly Check[] = [
  {
    clause: '9.5',
    id: 'start-document',
    must: 'GET / at every address returns name, environment, address and links.',
    async run(tpp) {
      for (const at of ADDRESSES) {
        const json = await read(tpp, at, '/');
        for (const name of ['name', 'environment', 'address']) textOf(json, name);
        expectThat(typeof json.links === 'object', 'links', typeof json.links);
      }
    },
  },
  {
    clause: '9.5',
    id: 'openapi-document',
    must: 'Every address serves the OpenAPI 3.1 document of its interface.',
    async run(tpp) {
      for (const at of ADDRESSES) {
        const { openapi, paths } = await read(tpp, at, '/openapi.json');
        expectThat(String(openapi).startsWith('3.1.'), 'an OpenAPI 3.1 document', 'another version');
        expectThat(typeof paths === 'object', 'paths', typeof paths);
      }
    },
  },
  {
    clause: '9.3',
    id: 'earlier-documents',
    must: 'The documents of registration 0.1.0 and 0.2.0 stay available, with Deprecation.',
    async run(tpp) {
      for (const version of ['0.1.0', '0.2.0']) {
        const answer = await tpp.send(`/openapi/${version}.json`, { at: 'registrationUrl', token: null });
        expectStatus(answer, 200);
        expectHeader(answer, 'deprecation', /^@\d+$/);
      }
    },
  },
  {
    clause: '4.1',
    id: 'metadata',
    must: 'The metadata of the authorization server names its issuer, token endpoint and keys.',
    async run(tpp) {
      const json = await read(tpp, 'authUrl', '/.well-known/oauth-authorization-server');
      for (const name of ['issuer', 'token_endpoint', 'jwks_uri', 'authorization_endpoint']) {
        const url = textOf(json, name);
        expectThat(URL.canParse(url), `${name} as a URL`, 'no URL');
      }
      expectThat(
        json.tls_client_certificate_bound_access_tokens === true,
        'bound access tokens',
        'unbound ones',
      );
    },
  },
  {
    clause: '4.1',
    id: 'keys',
    must: 'The key set has public ES256 keys only.',
    async run(tpp) {
      const keys = listOf(await read(tpp, 'authUrl', '/.well-known/jwks.json'), 'keys');
      expectThat(keys.length > 0, 'a key', 'none');
      for (const { kty, crv, d } of keys)
        expectThat(kty === 'EC' && crv === 'P-256' && d === undefined, 'public P-256 keys', 'another key');
    },
  },
  {
    clause: '7',
    id: 'error-list',
    must: 'GET /errors at every address lists every code with cause and cure.',
    async run(tpp) {
      for (const at of ADDRESSES) {
        const answer = await tpp.send('/errors', { at, token: null, over: tpp.deployment.anonymous });
        expectStatus(answer, 200);
        const text = answer.body.toString();
        const missing = Object.keys(ERROR_CODES).filter((code) => !text.includes(`"${code}"`));
        expectThat(missing.length === 0, 'every code of the closed list', `none of ${missing.join(', ')}`);
        expectThat(text.includes('"cure"'), 'a cure of each code', 'none');
      }
    },
  },
  {
    clause: '9.5',
    id: 'public-pages',
    must: 'The guides and the reference are public pages with a strict content security policy.',
    async run(tpp) {
      for (const path of ['/documentation', '/guides']) {
        const answer = await tpp.send(path, { token: null, over: tpp.deployment.anonymous });
        expectStatus(answer, 200);
        expectHeader(answer, 'content-security-policy', /default-src 'none'/);
      }
    },
  },
];
