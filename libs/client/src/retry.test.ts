import { isRepeatable, retryAfterMs, waitMs } from './retry.ts';

describe('retries', () => {
  it.each([
    ['3', 3_000],
    ['0', 0],
    ['Fri, 27 Nov 2026 00:00:05 GMT', 5_000],
    ['Thu, 26 Nov 2026 00:00:00 GMT', 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('read Retry-After %s', (value, expected) => {
    expect(retryAfterMs({ 'retry-after': value }, Date.UTC(2026, 10, 27))).toBe(expected);
  });

  it.each([
    { attempt: 0, asked: undefined, least: 125, most: 250 },
    { attempt: 3, asked: undefined, least: 1_000, most: 2_000 },
    { attempt: 20, asked: undefined, least: 5_000, most: 10_000 },
    { attempt: 0, asked: 0, least: 0, most: 250 },
    { attempt: 0, asked: 20_000, least: 20_000, most: 25_000 },
  ])(
    'wait from $least to $most ms in attempt $attempt after Retry-After $asked',
    ({ attempt, asked, least, most }) => {
      expect(waitMs(attempt, { asked, chance: 0 })).toBe(least);
      expect(waitMs(attempt, { asked, chance: 1 })).toBe(most);
    },
  );

  it.each([
    ['get', '/accounts', true],
    ['put', '/v1/webhook-subscriptions/{id}', true],
    ['delete', '/tpp/{clientId}', true],
    ['post', '/tpp', true],
    ['post', '/payments/domestic-credit-transfer', true],
    ['post', '/payments/swedish-plus-giro', true],
    ['post', '/payments/standing-orders', true],
    ['post', '/payments/drafts/approve', true],
    ['post', '/funds-confirmation', true],
    ['post', '/payments/drafts/domestic-credit-transfer', false],
    ['post', '/oauth2/token', false],
    ['post', '/sandbox/accounts/{accountId}/postings', false],
    ['post', '/v1/webhook-subscriptions/{id}', false],
    ['patch', '/payments/drafts/domestic-credit-transfer/{draftId}', false],
  ])('may repeat %s %s: %s', (method, path, expected) => {
    expect(isRepeatable(method, path)).toBe(expected);
  });
});
