import { fault, rule } from '@kontoport/errors';
import { singleLineText, uuid } from '@kontoport/http';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';
import { MAX_PEM_CHARACTERS } from './certificate-chain.model.ts';
import { type Client, clientUnknown, type Registration, requireOwnClient } from './client.model.ts';
import { redirectUriFault, redirectUriKey } from './redirect-uri.model.ts';

/** The client of the path, which must be the token's own (§5.5). */
export const ownClient = {
  params: z.object({ clientId: uuid }),
  unknown: clientUnknown,
  resource: async ({
    params,
    principal,
  }: {
    params: { clientId: string };
    principal: { token: { clientId: string } };
  }) => requireOwnClient(params.clientId, principal.token.clientId),
};

const name = singleLineText(200, { trimmed: true });

const role = z.enum(['PSP_AI', 'PSP_PI'], rule(TEXTS('role-unknown')));

const roles = z
  .array(role)
  .min(1, rule(TEXTS('roles-none')))
  .refine((items) => new Set(items).size === items.length, rule(TEXTS('roles-twice')))
  .meta({
    uniqueItems: true,
    description: 'The roles of the client: no more than the certificate has, none twice.',
  });

/** The redirect URIs of a body: at least one, no duplicates, each one usable (§2.1, §8). */
function redirectUrisBody(options: { loopbackHttp: boolean }): z.ZodType<string[]> {
  return z
    .array(
      z.string().superRefine((uri, context) => {
        const found = redirectUriFault(uri, options);
        if (found !== undefined) context.addIssue({ code: 'custom', ...fault(found) });
      }),
    )
    .min(1, rule(TEXTS('uris-none')))
    .refine((uris) => new Set(uris.map(redirectUriKey)).size === uris.length, rule(TEXTS('uris-twice')))
    .meta({
      uniqueItems: true,
      description: 'The addresses to which users may return: one or more, none twice.',
    });
}

/** Body of PUT /tpp/{clientId}/redirect-uris (§4.2). */
export function redirectsBody(options: { loopbackHttp: boolean }): z.ZodType<{ redirectUris: string[] }> {
  return z.strictObject({ redirectUris: redirectUrisBody(options) });
}

/** Body of POST /tpp/{clientId}/certificates (§4.2). */
export const certificateBody = z.strictObject({
  certificate: z
    .string()
    .max(MAX_PEM_CHARACTERS, rule(TEXTS('too-long', { most: MAX_PEM_CHARACTERS })))
    .meta({ description: 'PEM, with its line breaks: leaf, issuers, trust anchor.' }),
  updateDisplayName: z.boolean().default(false).meta({
    description: 'Whether the display name comes from this certificate from now on.',
  }),
});

export const certificateExample: z.input<typeof certificateBody> = {
  certificate: ['leaf', 'issuing CA', 'root']
    .map((which) => `-----BEGIN CERTIFICATE-----\n… base64 of the ${which} …\n-----END CERTIFICATE-----\n`)
    .join(''),
  updateDisplayName: true,
};

/** Body of PUT /tpp/{clientId}/display-name, and its answer (§4.2). */
export const displayNameBody = z.strictObject({
  displayName: z.string().meta({ description: 'The name that users read when they consent.' }),
});

export const displayNameExample: z.input<typeof displayNameBody> = { displayName: 'Fjord Budget ApS' };

/** Answer to GET /tpp/{clientId}/display-name (§4.2). */
export const displayNamesAnswer = z
  .object({
    displayName: z.string().meta({ description: 'The name that users read when they consent.' }),
    availableDisplayNames: z.array(z.string()).meta({
      description: 'The names of the unexpired certificate chains.',
    }),
  })
  .meta({ id: 'DisplayNames' });

export const displayNamesExample: z.input<typeof displayNamesAnswer> = {
  ...displayNameExample,
  availableDisplayNames: ['Fjord Budget ApS', 'Fjord Budget A/S'],
};

/** Body of POST /tpp (§4.2). */
export function registrationBody(options: { loopbackHttp: boolean }): z.ZodType<Registration> {
  return z.strictObject({
    name: name.meta({ description: 'A name of your choice for this client.' }),
    roles,
    redirectUris: redirectUrisBody(options),
  });
}

export const registrationExample: Registration = {
  name: 'Fjord Budget',
  roles: ['PSP_AI', 'PSP_PI'],
  redirectUris: ['https://app.fjordbudget.example/callback'],
};

/** Answer to POST /tpp; only the first answer contains the secret (§4.2). */
export const registeredAnswer = z
  .object({
    clientId: z.guid().meta({ description: 'Assigned at registration.' }),
    clientSecret: z.string().optional().meta({
      description: 'Only in the first successful answer to a request id; nobody can read it later.',
    }),
  })
  .meta({ id: 'RegisteredClient' });

export const registeredExample: z.input<typeof registeredAnswer> = {
  clientId: '5b3f1c9e-8f0d-4c4e-9a0b-2f6d6f5c7a11',
  clientSecret: 'kq3Zr0Vt8w5bXcN1yPz7uLhJ2mGd9sAeQfTiOoRxB4E',
};

const certificateDetails = z
  .object({
    subject: z.string().meta({ description: 'The distinguished name of the holder.' }),
    subjectKeyId: z.string().meta({ description: 'Hexadecimal with colons.' }),
    issuer: z.string().meta({ description: 'The distinguished name of the issuer.' }),
    serialNumber: z.string().meta({ description: 'The serial number.' }),
    notBefore: z.iso.datetime({ precision: 3 }).meta({ description: 'The begin of the validity, in UTC.' }),
    notAfter: z.iso.datetime({ precision: 3 }).meta({ description: 'The end of the validity, in UTC.' }),
  })
  .meta({ id: 'CertificateDetails' });

/** Answer to GET /tpp/{clientId}; timestamps are ISO 8601 in UTC (§2.1, §4.2). */
export const clientAnswer = z
  .object({
    name: z.string().meta({ description: 'Given at registration.' }),
    clientId: z.guid().meta({ description: 'Assigned at registration.' }),
    roles: z.array(role).meta({ description: 'The roles that the client registered.' }),
    redirectUris: z.array(z.string()).meta({ description: 'The registered redirect URIs.' }),
    certificateChains: z
      .array(
        z.object({
          certificates: z.array(certificateDetails).meta({ description: 'The certificates of one chain.' }),
        }),
      )
      .meta({
        description: 'The chains over which the client may call: the leaf first, the trust anchor last.',
      }),
  })
  .meta({ id: 'Client' });

/** Converts a client for its owner (§2.1). */
export function clientToWire(client: Client): z.input<typeof clientAnswer> {
  return {
    name: client.name,
    clientId: client.clientId,
    roles: [...client.roles],
    redirectUris: [...client.redirectUris],
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

export const clientExample: z.input<typeof clientAnswer> = {
  name: registrationExample.name,
  clientId: registeredExample.clientId,
  roles: [...registrationExample.roles],
  redirectUris: [...registrationExample.redirectUris],
  certificateChains: [
    {
      certificates: [
        {
          subject: 'CN=app.fjordbudget.example,2.5.4.97=PSDDK-DFSA-12345,O=Fjord Budget ApS,C=DK',
          subjectKeyId: '5D:0A:91:7F:4C:2B:E3:68:0E:11:D4:A7:90:3C:55:B8:62:F1:0D:9E',
          issuer: 'CN=Nordic Trust QWAC CA 1,O=Nordic Trust AS,C=NO',
          serialNumber: '4F1D2C3B5A69788796A5B4C3D2E1F001',
          notBefore: '2026-01-15T08:00:00.000Z',
          notAfter: '2027-01-15T08:00:00.000Z',
        },
        {
          subject: 'CN=Nordic Trust QWAC CA 1,O=Nordic Trust AS,C=NO',
          subjectKeyId: '9B:44:1E:70:C3:8A:25:F6:D1:07:6E:B2:38:AF:54:0C:E9:17:83:2D',
          issuer: 'CN=Nordic Trust Root,O=Nordic Trust AS,C=NO',
          serialNumber: '0A1B2C3D4E5F60718293A4B5C6D7E8F9',
          notBefore: '2020-06-01T00:00:00.000Z',
          notAfter: '2035-06-01T00:00:00.000Z',
        },
      ],
    },
  ],
};
