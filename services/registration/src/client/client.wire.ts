import { z } from 'zod';
import type { Client, Registration } from './client.model.ts';
import { MAX_REDIRECT_URIS, redirectUriFault, redirectUriKey } from './redirect-uri.model.ts';

const name = z
  .string()
  .max(200, 'is longer than 200 characters')
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'contains control characters')
  .trim()
  .min(1, 'is empty');

const roles = z
  .array(z.enum(['PSP_AI', 'PSP_PI'], 'is neither PSP_AI nor PSP_PI'))
  .min(1, 'needs at least one role')
  .refine((items) => new Set(items).size === items.length, 'contains a role twice');

/** The redirect URIs of a body: at least one, no duplicates, each one usable (specification §2.1, §8). */
export function redirectUrisSchema(options: { loopbackHttp: boolean }): z.ZodType<string[]> {
  return z
    .array(
      z.string().superRefine((uri, context) => {
        const fault = redirectUriFault(uri, options);
        if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
      }),
    )
    .min(1, 'needs at least one URI')
    .max(MAX_REDIRECT_URIS, `holds more than ${MAX_REDIRECT_URIS} URIs`)
    .refine((uris) => new Set(uris.map(redirectUriKey)).size === uris.length, 'contains a URI twice');
}

/** Body of POST /tpp (specification §4.2). */
export function registrationSchema(options: { loopbackHttp: boolean }): z.ZodType<Registration> {
  return z.strictObject({ name, roles, redirectUris: redirectUrisSchema(options) });
}

/** Body of GET /tpp/{clientId}; timestamps are ISO 8601 in UTC (specification §2.1, §4.2). */
export function toClientJson(client: Client): Record<string, unknown> {
  return {
    name: client.name,
    clientId: client.clientId,
    roles: client.roles,
    redirectUris: client.redirectUris,
    certificateChains: client.certificateChains.map(({ certificates }) => ({
      certificates: certificates.map((certificate) => ({
        subject: certificate.subject,
        subjectKeyId: certificate.subjectKeyId,
        issuer: certificate.issuer,
        serialNumber: certificate.serialNumber,
        notBefore: certificate.notBefore.toISOString(),
        notAfter: certificate.notAfter.toISOString(),
      })),
    })),
  };
}
