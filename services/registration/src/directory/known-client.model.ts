/** A client as the directory tells of it, tombstones included. */
export interface KnownClient {
  clientId: string;
  /** Empty once the client is deleted, as the redirect URIs are. */
  name: string;
  roles: string[];
  redirectUris: string[];
  organizationIdentifier: string;
  /** base64url SHA-256 of the leaves of its chains, oldest chain first. */
  certificateThumbprints: string[];
  /** Number of the change that made this state. */
  revision: bigint;
  deleted: boolean;
  createdAt: Date;
}

/** A replica that decides from its memory of the clients, as it last announced itself. */
export interface Watcher {
  watcherId: string;
  /** Name of the service it belongs to. */
  service: string;
  appliedRevision: bigint;
}
