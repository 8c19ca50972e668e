import type { Role } from '@kontoport/certificates';
import { grantScopes } from './scope.model.ts';

type Row = [requested: string[] | undefined, client: string[], certificate: Role[], granted: Role[]];

describe('the scope of an access token (§2.1, §5; RFC 6749 §3.3)', () => {
  it.each<Row>([
    [undefined, ['PSP_PI', 'PSP_AI'], ['PSP_AI', 'PSP_PI'], ['PSP_AI', 'PSP_PI']],
    [undefined, ['PSP_AI'], ['PSP_AI', 'PSP_PI'], ['PSP_AI']],
    [undefined, ['PSP_PI', 'PSP_AI'], ['PSP_PI'], ['PSP_PI']],
    [['PSP_PI'], ['PSP_PI', 'PSP_AI'], ['PSP_AI', 'PSP_PI'], ['PSP_PI']],
    [
      ['PSP_PI', 'PSP_AI', 'PSP_PI'],
      ['PSP_PI', 'PSP_AI'],
      ['PSP_AI', 'PSP_PI'],
      ['PSP_AI', 'PSP_PI'],
    ],
  ])(
    'asked for %j, held by client %j and certificate %j: %j',
    (requested, clientRoles, certificateRoles, granted) => {
      expect(grantScopes({ requested, clientRoles, certificateRoles })).toEqual(granted);
    },
  );

  it.each<[string[] | undefined, string[], Role[]]>([
    [['PSP_PI'], ['PSP_AI'], ['PSP_AI', 'PSP_PI']],
    [['PSP_PI'], ['PSP_AI', 'PSP_PI'], ['PSP_AI']],
    [['PSP_AI', 'PSP_PI'], ['PSP_AI'], ['PSP_AI']],
    [['PSP_AS'], ['PSP_AI'], ['PSP_AI']],
    [['psp_ai'], ['PSP_AI'], ['PSP_AI']],
    [['PSP_AI', ''], ['PSP_AI'], ['PSP_AI']],
    [undefined, ['PSP_AI'], ['PSP_PI']],
    [undefined, ['PSP_AI'], []],
  ])(
    'asked for %j, held by client %j and certificate %j: invalid_scope',
    (requested, clientRoles, certificateRoles) => {
      expect(() => grantScopes({ requested, clientRoles, certificateRoles })).toThrow(
        expect.objectContaining({ oauthError: 'invalid_scope', status: 400 }),
      );
    },
  );
});
