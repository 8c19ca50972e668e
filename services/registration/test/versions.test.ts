import { useRegistrations } from './suite.ts';

interface Document {
  info: { version: string; description: string };
  paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: { $ref?: string } }> } }>
  >;
}

const CERTIFICATES = '/tpp/{clientId}/certificates';

const suite = useRegistrations();

async function described(path: string) {
  const response = await fetch(`${suite.a.origin}${path}`);
  const document = (await response.json()) as Document;
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((name) => name.includes('/tpp'))
    .toSorted();
  const { content } = document.paths[CERTIFICATES]!.post!.requestBody!;
  return {
    status: response.status,
    headers: response.headers,
    document,
    operations,
    body: JSON.stringify(content),
  };
}

const FIRST = [
  'GET /tpp/{clientId}',
  `POST ${CERTIFICATES}`,
  'POST /tpp',
  'PUT /tpp/{clientId}/redirect-uris',
].toSorted();
const SECOND = [...FIRST, 'DELETE /tpp/{clientId}'].toSorted();
const THIRD = [...SECOND, 'GET /tpp/{clientId}/display-name', 'PUT /tpp/{clientId}/display-name'].toSorted();

describe('the versions of the interface (§9.3)', () => {
  it.each([
    ['0.1.0', FIRST],
    ['0.2.0', SECOND],
  ])('%s has its operations and no later ones, and is deprecated by date', async (version, expected) => {
    const { status, headers, document, operations, body } = await described(`/openapi/${version}.json`);
    expect([status, document.info.version, operations]).toEqual([200, version, expected]);
    expect(body).toContain('certificate');
    expect(body).not.toContain('updateDisplayName');
    expect(document.info.description).toContain('deprecated since 2026-11-22');
    expect(headers.get('deprecation')).toBe(`@${Date.UTC(2026, 10, 22) / 1_000}`);
    expect(headers.get('link')).toContain('rel="deprecation"');
  });

  it('0.3.0 is the current one, with all operations', async () => {
    const { status, headers, document, operations, body } = await described('/openapi.json');
    expect([status, document.info.version, operations]).toEqual([200, '0.3.0', THIRD]);
    expect(body).toContain('updateDisplayName');
    expect(headers.get('deprecation')).toBeNull();
  });

  it('there is no other', async () => {
    expect((await fetch(`${suite.a.origin}/openapi/0.4.0.json`)).status).toBe(404);
  });
});
