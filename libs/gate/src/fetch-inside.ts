import { request } from 'node:https';
import type { SecureContext } from 'node:tls';
import type { FetchImplementation } from 'jose';

/** Bytes of an answer at most; auth's keys need less. */
const MAX_BYTES = 256 * 1024;

/** A `fetch` of short JSON from another of our services, a connection each; its certificate is verified. */
export function fetchInside(tls: SecureContext): FetchImplementation {
  return (url, { headers, signal }) =>
    new Promise((resolve, reject) => {
      const options = {
        headers: Object.fromEntries(headers),
        secureContext: tls,
        agent: false,
        signal,
        rejectUnauthorized: true,
      } as const;
      const asking = request(url, options, (incoming) => {
        const { statusCode: status } = incoming;
        // Response refuses some of these statuses.
        if (status !== 200) {
          reject(new Error(`the answer is ${status}`));
          asking.destroy();
          return;
        }
        const chunks: Buffer[] = [];
        let length = 0;
        incoming
          .on('data', (chunk: Buffer) => {
            length += chunk.length;
            if (length > MAX_BYTES) asking.destroy(new Error('the answer is too long'));
            else chunks.push(chunk);
          })
          .on('error', reject)
          .on('end', () => resolve(new Response(Buffer.concat(chunks))));
      });
      asking.on('error', reject).end();
    });
}
