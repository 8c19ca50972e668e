import { z } from 'zod';
import type { DescribedRoute } from '../src/described-route.ts';
import { buildEarlierDocument } from '../src/earlier-version.ts';
import type { EarlierVersion } from '../src/interfaces.ts';
import { lintDocument } from '../src/lint.ts';
import { INTERFACE } from './routes.ts';

const answers = { 200: { description: 'Done.', json: z.object({}), example: {} } };
const route = (
  method: DescribedRoute['method'],
  path: string,
  more: Partial<DescribedRoute> = {},
): DescribedRoute => ({
  method,
  path,
  clause: '§4.2',
  summary: 'An operation',
  security: { kind: 'certificate' },
  answers,
  ...more,
});

const since = new Date('2026-11-22T00:00:00Z');
const served = route('GET', '/openapi/0.1.0.json', {
  security: { kind: 'public' },
  deprecated: { since, link: '/' },
});
const body = {
  json: z.strictObject({ name: z.string(), later: z.boolean().optional() }),
  example: { name: 'x', later: true },
};
const ROUTES = [served, route('POST', '/things', { body }), route('DELETE', '/things')];
const EARLIER: EarlierVersion = {
  ...INTERFACE,
  version: '0.1.0',
  lacks: { operations: ['DELETE /things'], members: { 'POST /things': ['later'] } },
};

describe('the description of an earlier version (§9.3)', () => {
  it('is that of the present one without what came later, is valid, and says since when it is deprecated', async () => {
    const document = buildEarlierDocument(EARLIER, ROUTES)!;
    expect(Object.keys(document.paths!['/things']!)).toEqual(['post']);
    expect(JSON.stringify(document.paths!['/things'])).not.toContain('later');
    expect(document.info).toMatchObject({
      version: '0.1.0',
      description: expect.stringContaining('deprecated since 2026-11-22'),
    });
    expect(await lintDocument(document)).toEqual([]);
  });

  it('is none where nobody serves it', () => {
    expect(buildEarlierDocument(EARLIER, ROUTES.slice(1))).toBeUndefined();
  });

  it.each<[string, DescribedRoute[], RegExp]>([
    [
      'is served without being deprecated',
      [route('GET', served.path), ...ROUTES.slice(1)],
      /is not deprecated/,
    ],
    ['lacked an operation that is gone', ROUTES.slice(0, 2), /there is no DELETE \/things/],
    [
      'lacked a member that is gone',
      [
        served,
        route('POST', '/things', { body: { json: body.json.omit({ later: true }), example: { name: 'x' } } }),
        ROUTES[2]!,
      ],
      /POST \/things has no later/,
    ],
  ])('is refused when it %s', (_what, routes, message) => {
    expect(() => buildEarlierDocument(EARLIER, routes)).toThrow(message);
  });
});
