import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type IssuerFiles, writeFileAtomically } from '@kontoport/issuing';

/** Where a running stack is found: the content of `stack.json`. Files and folders are absolute paths. */
export interface StackFile {
  baseUrl: string;
  registrationUrl: string;
  authUrl: string;
  userUrl: string;
  /** PEM: what a client trusts to reach the four addresses. */
  serverCa: string;
  /** Folder of PEM files; a CA dropped in counts within seconds. */
  trustAnchors: string;
  /** `ops` serves /livez and /readyz; `grpc` is for the bank's own programs. */
  services: { name: string; pid: number; ops: string; grpc: string }[];
  /** With --edge none: what a proxy in front of the services needs. */
  proxy?: ProxyNeeds;
  /** Of a production stack: the example bank; `pages` is where its users log in and approve. */
  bank?: { pid: number; pages: string };
  /** Signs the QWACs of the sandbox. */
  issuingCa: IssuerFiles;
}

/** What a proxy in place of the edge needs (docs/edge). Files are absolute paths. */
export interface ProxyNeeds {
  /** `host:port` of each listener of the services, by the names of docs/edge. */
  upstreams: Record<string, string>;
  /** EDGE_FORMAT of the services. */
  format: string;
  /** Holds the value of `X-Edge-Secret`. */
  secretFile: string;
  serverCertificate: string;
  serverKey: string;
  /** With internal TLS: the authority of the services, and what the proxy shows them. */
  internalTls?: Record<string, string>;
}

/** Where the stack of a data folder is published. */
export function stackFilePath(data: string): string {
  return join(data, 'stack.json');
}

/** Publishes the running stack in its data folder; call it when all is ready. */
export async function writeStackFile(data: string, stack: StackFile): Promise<string> {
  await writeFileAtomically(stackFilePath(data), `${JSON.stringify(stack, undefined, 2)}\n`);
  return stackFilePath(data);
}

/** Says that nothing runs here any more; a file of a run that was killed is removed as well. */
export function removeStackFile(data: string): void {
  rmSync(stackFilePath(data), { force: true });
}
