import { createHash } from 'node:crypto';
import type { DirectoryClient } from './directory-client.ts';

/**
 * Half a SHA-256. A second URI for an existing digest cannot be found, and a client that constructs two with one digest
 * may register both anyway.
 */
const DIGEST_BYTES = 16;

/** The digests of the redirect URIs without their queries, 16 bytes each, concatenated. */
export function redirectDigests(uris: readonly string[]): Buffer<ArrayBuffer> {
  return Buffer.concat(uris.flatMap((uri) => digestOf(uri) ?? []));
}

/** The digests of the exact redirect URIs, 16 bytes each, concatenated. */
export function redirectUriDigests(uris: readonly string[]): Buffer<ArrayBuffer> {
  return Buffer.concat(uris.map(sha256Half));
}

/**
 * Whether `uri` is one of the strings that the client registered, character by character (§4.1: authorization takes no other;
 * RFC 9700 §2.1).
 */
export function registeredExactly(client: Pick<DirectoryClient, 'redirectUriDigests'>, uri: string): boolean {
  return includesDigest(client.redirectUriDigests, sha256Half(uri));
}

/**
 * Whether `url` is a redirect URI of the client: the same scheme, host, port and path (§4.4, §5.6); its query is free.
 * Neither user information nor a fragment is accepted.
 */
export function isRedirectUriOf(client: Pick<DirectoryClient, 'redirectDigests'>, url: string): boolean {
  const digest = digestOf(url);
  return digest !== undefined && includesDigest(client.redirectDigests, digest);
}

function includesDigest(digests: Uint8Array, digest: Buffer): boolean {
  for (let at = 0; at < digests.length; at += DIGEST_BYTES)
    if (digest.equals(digests.subarray(at, at + DIGEST_BYTES))) return true;
  return false;
}

function digestOf(text: string): Buffer | undefined {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || text.includes('#')) return undefined;
  return sha256Half(`${url.protocol}//${url.host}${url.pathname}`);
}

function sha256Half(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, DIGEST_BYTES);
}
