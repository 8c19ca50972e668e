/** A token that was revoked before its expiry. */
export interface RevokedToken {
  /** `jti`. */
  id: string;
  /** `exp`: seconds since 1970. */
  expiresAt: bigint;
}

/** The leaf of a chain. */
interface KnownCertificate {
  /** base64url SHA-256. */
  thumbprint: string;
  /** Seconds since 1970; 0 when unknown. */
  notAfter: bigint;
  /** Its roles of §2.1. */
  roles: string[];
}

/** A client as the directory sends it, tombstones included. */
export interface KnownClient {
  clientId: string;
  roles: string[];
  /** 16 bytes for each redirect URI without its query; empty once the client is deleted. */
  redirectDigests: Buffer;
  /** 16 bytes for each redirect URI exactly as it was registered; empty once the client is deleted. */
  redirectUriDigests: Buffer;
  organizationIdentifier: string;
  /** The leaves of its chains, also of ended ones. */
  certificates: KnownCertificate[];
  /** Shown to users; empty once the client is deleted. */
  displayName: string;
  /** Tokens that are refused before their end; some may have ended since. */
  revokedTokens: RevokedToken[];
  /** Number of the change that led to this state. */
  revision: bigint;
  deleted: boolean;
}

/** The last changes of all clients. */
export interface DirectoryState {
  /** Number of the last change. */
  revision: bigint;
  /** Number of the last deletion whose tombstone was purged. */
  purgedRevision: bigint;
}

/** Clients changed after a revision, in the order of their last changes, from one snapshot of the database. */
export interface ChangedClients {
  clients: KnownClient[];
  state: DirectoryState;
}

/** A replica that decides from its copy of the clients, by its last message. */
export interface Watcher {
  watcherId: string;
  /** Name of the service it belongs to. */
  service: string;
  appliedRevision: bigint;
}

/** Reads a stored certificate: `thumbprint:notAfter:roles`, the end in seconds since 1970, a comma between roles. */
export function toKnownCertificate(word: string): KnownCertificate {
  const [thumbprint, notAfter, roles] = word.split(':') as [string, string, string];
  return { thumbprint, notAfter: BigInt(notAfter), roles: roles === '' ? [] : roles.split(',') };
}

/** Makes the stored text of the leaves of a client's chains: a word each, separated by blanks. */
export function storedCertificates(
  leaves: readonly { thumbprint: string; notAfter: Date; roles: readonly string[] }[],
): string {
  return leaves
    .map(
      ({ thumbprint, notAfter, roles }) =>
        `${thumbprint}:${Math.floor(notAfter.getTime() / 1_000)}:${roles.join(',')}`,
    )
    .join(' ');
}
