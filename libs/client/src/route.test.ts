import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routeOf } from './route.ts';

interface Operation {
  readonly security: readonly Readonly<Record<string, unknown>>[];
}

/** The operations of a document, without the pages for people. */
function operationsOf(document: string): [path: string, operation: Operation][] {
  const file = join(import.meta.dirname, `../../../proto/openapi/${document}.json`);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(paths)
    .filter(([path]) => !/^\/(documentation|guides|llms\.txt)/.test(path))
    .flatMap(([path, methods]) =>
      Object.values(methods).map((operation): [string, Operation] => [path, operation]),
    );
}

/** Served by every address. */
const SHARED = /^\/(errors.*|openapi\.json|)$/;

describe('the address and the proof of a path', () => {
  it.each([
    ['account-and-payment', 'baseUrl'],
    ['registration', 'registrationUrl'],
    ['token', 'authUrl'],
  ])('are those of %s.json', (document, address) => {
    const wrong = operationsOf(document).filter(([path, { security }]) => {
      const route = routeOf(path);
      const has = (scheme: string): boolean => security.some((each) => scheme in each);
      return (
        (route.address !== address && !SHARED.test(path)) ||
        route.needsToken !== has('oauth') ||
        route.isForm !== has('clientCredentials')
      );
    });
    expect(wrong.map(([path]) => path)).toEqual([]);
  });
});
