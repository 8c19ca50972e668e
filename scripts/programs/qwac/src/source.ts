import { createReadStream } from 'node:fs';
import { connect, type DetailedPeerCertificate } from 'node:tls';
import { InputError } from '@kontoport/command';

/** Far above any chain, request or bundle of anchors. */
const MAX_BYTES = 4_000_000;
const CONNECT_LIMIT_MS = 10_000;
const MAX_SERVER_CHAIN = 20;

/** A source that the user named: its bytes, and its name in messages. */
export interface Source {
  name: string;
  bytes: Uint8Array;
}

/** A file may be a device or a pipe of unknown size. */
async function readBounded(name: string, stream: AsyncIterable<Buffer>): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size > MAX_BYTES) throw new InputError(`${name}: more than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const pem = (der: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE-----\n`;

/** Fetches the chain that a TLS server presents, trusted or not: the leaf first. */
async function chainOf(url: URL): Promise<Uint8Array> {
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  const isName = !/^[\d.]+$|:/.test(host);
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      socket.destroy();
      reject(new InputError(`${url.origin}: ${why}`));
    };
    const socket = connect({
      host,
      port: Number(url.port || 443),
      ...(isName && { servername: host }),
      // No data are sent and the server is not trusted: only its certificate is read.
      rejectUnauthorized: false,
    });
    const timer = setTimeout(
      () => fail(`no TLS connection within ${CONNECT_LIMIT_MS / 1_000} s`),
      CONNECT_LIMIT_MS,
    );
    socket.once('close', () => clearTimeout(timer));
    socket.once('error', ({ code, message }: NodeJS.ErrnoException) => fail(code ?? message));
    socket.once('secureConnect', () => {
      const chain: string[] = [];
      const seen = new Set<string>();
      let at: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
      while (at?.raw && !seen.has(at.fingerprint256) && chain.length < MAX_SERVER_CHAIN) {
        seen.add(at.fingerprint256);
        chain.push(pem(at.raw));
        at = at.issuerCertificate;
      }
      socket.destroy();
      if (chain.length === 0) reject(new InputError(`${url.origin}: it presents no certificate`));
      else resolve(Buffer.from(chain.join('')));
    });
  });
}

/**
 * Reads FILE, `-` for the standard input, or `https://host[:port]` for what a server presents.
 * @throws InputError, or the system's error for a file
 */
export async function readSource(word: string): Promise<Source> {
  if (word === '-') {
    const name = 'standard input';
    return { name, bytes: await readBounded(name, process.stdin) };
  }
  if (!/^https:\/\//i.test(word))
    return { name: word, bytes: await readBounded(word, createReadStream(word)) };
  if (!URL.canParse(word)) throw new InputError(`${word} is not an address`);
  const url = new URL(word);
  return { name: url.origin, bytes: await chainOf(url) };
}
