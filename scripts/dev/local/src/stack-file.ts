import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type IssuerFiles, writeFileAtomically } from '@kontoport/issuing';

/** The addresses and files of a running stack: the content of `stack.json`. Paths are absolute. */
export interface StackFile {
  baseUrl: string;
  registrationUrl: string;
  authUrl: string;
  userUrl: string;
  /** PEM: what a client trusts to reach the four addresses. */
  serverCa: string;
  /** Folder of PEM files. The services read a new file within seconds. */
  trustAnchors: string;
  /** The processes. `ops` serves /livez and /readyz; `grpc` is for the bank's own programs. */
  services: { name: string; replica?: number; pid: number; ops: string; grpc: string }[];
  /** Connection strings of the embedded databases, by service. */
  databases?: Partial<Record<string, string>>;
  /** With --edge none: the settings of a proxy in front of the services. */
  proxy?: ProxyNeeds;
  /** The example bank of a production stack. Its users log in and approve at `pages`. */
  bank?: { pid: number; pages: string };
  /** Signs the QWACs of the sandbox. */
  issuingCa: IssuerFiles;
}

/** The settings of a proxy in place of the edge (docs/edge). Paths are absolute. */
export interface ProxyNeeds {
  /** `host:port` of each listener of the services, by the names of docs/edge. */
  upstreams: Record<string, string>;
  /** EDGE_FORMAT of the services. */
  format: string;
  /** Holds the value of `X-Edge-Secret`. */
  secretFile: string;
  serverCertificate: string;
  serverKey: string;
  /** With internal TLS: the authority of the services, and the proxy's certificate and key. */
  internalTls?: Record<string, string>;
}

/** Returns the path of `stack.json` in a data folder. */
export function stackFilePath(data: string): string {
  return join(data, 'stack.json');
}

/** Publishes the running stack in its data folder. Call it when everything is ready. */
export async function writeStackFile(data: string, stack: StackFile): Promise<string> {
  await writeFileAtomically(stackFilePath(data), `${JSON.stringify(stack, undefined, 2)}\n`);
  return stackFilePath(data);
}

/** Publishes restarted processes, while the stack runs. */
export async function replaceServices(data: string, services: StackFile['services']): Promise<void> {
  if (!existsSync(stackFilePath(data))) return;
  const stack = JSON.parse(readFileSync(stackFilePath(data), 'utf8')) as StackFile;
  await writeStackFile(data, { ...stack, services });
}

/** Removes `stack.json`, also that of a killed run. */
export function removeStackFile(data: string): void {
  rmSync(stackFilePath(data), { force: true });
}
