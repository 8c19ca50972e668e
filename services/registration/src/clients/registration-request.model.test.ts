import type { Registration } from './client.model.ts';
import { registrationHash, requireSameBody } from './registration-request.model.ts';

const registration: Registration = {
  name: 'Fjord Budget',
  roles: ['PSP_AI', 'PSP_PI'],
  redirectUris: ['https://a.example/', 'https://b.example/'],
};

describe('a repeated registration request (§4.2)', () => {
  it('is the same whatever the order of roles and redirect URIs', () => {
    const { name, roles, redirectUris } = registration;
    const reordered = { redirectUris: redirectUris.toReversed(), roles: roles.toReversed(), name };
    expect(registrationHash(reordered)).toEqual(registrationHash(registration));
  });

  it.each<[string, Partial<Registration>]>([
    ['name', { name: 'fjord budget' }],
    ['roles', { roles: ['PSP_AI'] }],
    ['redirect URIs', { redirectUris: ['https://a.example/'] }],
    ['place of a value', { name: '', redirectUris: ['Fjord Budget'] }],
  ])('is another with another %s', (_what, change) => {
    const changed = registrationHash({ ...registration, ...change });
    expect(() => requireSameBody(registrationHash(registration), changed)).toThrow(
      expect.objectContaining({ code: 'IDEMPOTENCY_CONFLICT', status: 409 }),
    );
  });
});
