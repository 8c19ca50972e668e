import { wrap } from '@kontoport/command';
import { freePort, isFree } from '@kontoport/embedded/port';
import { type Responder, responderOf, startResponder } from '@kontoport/issuing';
import type { Lifecycle } from '@kontoport/lifecycle';
import type { Progress } from './progress.ts';

/**
 * Opens the OCSP responder of the sandbox's CAs, in this process. Certificates contain its address, so it keeps the port
 * that it had on these data. If another program has that port, it moves and prints so.
 * @param options.ca folder of the CAs, which may be made afterwards
 */
export async function openResponder(options: {
  ca: string;
  progress: Progress;
  lifecycle: Lifecycle;
}): Promise<Responder> {
  const { ca, progress, lifecycle } = options;
  const before = responderOf(ca);
  const known = before === undefined ? undefined : Number(new URL(before).port);
  const stays = known !== undefined && (await isFree(known));
  const responder = await startResponder({ ca, port: stays ? known : await freePort() });
  lifecycle.own('revocation responder', responder);
  if (before !== undefined && !stays) {
    const words = `The port of ${before} is taken: OCSP and revocation lists move to ${responder.origin}. Certificates minted before name the old address; mint new ones where that matters.`;
    for (const text of wrap(words, progress.width)) progress.line(text);
  }
  return responder;
}
