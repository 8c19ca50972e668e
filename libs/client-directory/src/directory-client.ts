import type { Certificate, Client } from '@kontoport/proto/registration/v1';

/** A registered TPP. */
export type DirectoryClient = Readonly<Client>;
/** The leaf of a certificate chain of a client. */
export type DirectoryCertificate = Readonly<Certificate>;

/**
 * The certificate of the client with this thumbprint (base64url SHA-256 of its DER); undefined when it is not the client's.
 * Expired certificates and those of deleted clients are found too: the verdict on the presented one decides.
 */
export function certificateOf(
  { certificates }: Pick<DirectoryClient, 'certificates'>,
  thumbprint: string,
): DirectoryCertificate | undefined {
  return certificates.find((certificate) => certificate.thumbprint === thumbprint);
}
