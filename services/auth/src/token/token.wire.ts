import { z } from 'zod';
import type { IssuedToken } from './token-request.model.ts';

/** The answer of the token endpoint (RFC 6749 §5.1; §4.1). */
export const tokenAnswer = z
  .object({
    access_token: z.string().meta({ description: 'The token for the header `Authorization`.' }),
    token_type: z.literal('Bearer').meta({ description: 'Always `Bearer`.' }),
    expires_in: z.int().positive().meta({ description: 'Seconds, 3600 at most.' }),
    scope: z.string().meta({ description: 'The granted roles, separated by spaces.' }),
    refresh_token: z.string().optional().meta({ description: 'With a token that a user authorized.' }),
    authorization_details: z
      .array(
        z.object({
          type: z.literal('accounts').meta({ description: 'The only type.' }),
          consentId: z.uuid().meta({ description: 'Identifies the consent.' }),
          validUntil: z.iso.datetime().meta({ description: 'The end of the consent.' }),
          accounts: z
            .array(
              z.object({
                id: z.uuid().meta({ description: 'Identifies the account in all other calls.' }),
                bban: z.string().meta({ description: 'The domestic account number.' }),
                currency: z.string().meta({ description: 'ISO 4217, three letters.' }),
              }),
            )
            .meta({ description: 'The accounts of the consent.' }),
        }),
      )
      .optional()
      .meta({
        description: 'The accounts that the user opened (RFC 9396 §7), with a token that a user authorized.',
      }),
  })
  .meta({ id: 'AccessToken' });

/** Converts a token to its response. */
export function tokenToWire({
  accessToken,
  expiresIn,
  scope,
  user,
}: IssuedToken): z.input<typeof tokenAnswer> {
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresIn,
    scope,
    ...(user && { refresh_token: user.refreshToken, authorization_details: [openedToWire(user.opened)] }),
  };
}

function openedToWire({ consentId, validUntil, accounts }: NonNullable<IssuedToken['user']>['opened']) {
  return {
    type: 'accounts' as const,
    consentId,
    validUntil: validUntil.toISOString(),
    accounts: accounts.map(({ accountId, bban, currency }) => ({ id: accountId, bban, currency })),
  };
}

export const tokenExample: z.input<typeof tokenAnswer> = {
  access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzY29wZSI6IlBTUF9BSSJ9.c2lnbmF0dXJl',
  token_type: 'Bearer',
  expires_in: 3600,
  scope: 'PSP_AI PSP_PI',
};
