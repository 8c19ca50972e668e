import { z } from 'zod';
import type { IssuedToken } from './client-credentials.model.ts';

/** Answer of the token endpoint (RFC 6749 §5.1; §4.1). */
export const tokenAnswer = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().positive().meta({ description: 'Seconds, 3600 at most.' }),
    scope: z.string().meta({ description: 'The roles that were granted, separated by blanks.' }),
  })
  .meta({ id: 'AccessToken' });

/** A token as its client gets it. */
export function tokenToWire({ accessToken, expiresIn, scope }: IssuedToken): z.input<typeof tokenAnswer> {
  return { access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn, scope };
}

export const tokenExample: z.input<typeof tokenAnswer> = {
  access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzY29wZSI6IlBTUF9BSSJ9.c2lnbmF0dXJl',
  token_type: 'Bearer',
  expires_in: 3600,
  scope: 'PSP_AI PSP_PI',
};
