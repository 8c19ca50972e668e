import { upstreamsFor } from '../src/routes.ts';

// scripts/repo/test/edge-routes.test.ts takes every route of every service through the table.
describe('the table of the edge', () => {
  it.each(['//', '/accountsx', '/v2', '/tpp', '/aisp-pispaccounts', 'http://other/accounts'])(
    'has no service for %s at the base address',
    (target) => expect(upstreamsFor('base', target)).toEqual([]),
  );

  it.each(['/aisp-pisp', '/aisp-pisp/accounts/1?limit=1'])('has %s with the optional prefix', (target) =>
    expect(upstreamsFor('base', target)).toEqual(['account-information']),
  );
});
