import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceIdentity } from '@kontoport/internal-tls';
import { loadServices } from '../services.ts';

/** A method of an rpc that a service serves. */
export interface ServedRpc {
  /** The service that serves it. */
  service: ServiceIdentity;
  /** `kontoport.payments.v1.ApprovalsService/GetBasket` */
  path: string;
  /** The name in clients: `getBasket`. */
  method: string;
  /** Undefined where the rpc does not declare it. */
  allowedCallers: readonly ServiceIdentity[] | undefined;
}

/** Lists every rpc of every service. */
export async function rpcsOfServices(root: string): Promise<ServedRpc[]> {
  return (await loadServices(root)).flatMap(({ service: { name, entryPoints } }) =>
    (entryPoints().rpcs ?? []).flatMap(({ definition, allowedCallers }) =>
      Object.entries(definition).map(([method, { path }]) => ({
        service: name as ServiceIdentity,
        path: path.slice(1),
        method,
        allowedCallers: (allowedCallers as Record<string, readonly ServiceIdentity[]> | undefined)?.[method],
      })),
    ),
  );
}

/** Calls of our rpcs: `call(client, client.method, …)`, or as a stream. */
const CALL = /\bcall\(\s*([\w.#]+),\s*\1\.(\w+),|\bstub\.(watch)\(\)/g;

/** The rpcs that each service calls, by its source. Every service watches the clients and records requests through common libs. */
export function callsOfServices(root: string): Map<ServiceIdentity, ReadonlySet<string>> {
  const services = globSync('services/*', { cwd: root }).map((folder) => folder.slice('services/'.length));
  const methodsIn = (pattern: string): string[] =>
    globSync(pattern, { cwd: root, exclude: (name) => name === 'gen' }).flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(CALL)].map(
        ([, , called, streamed]) => called ?? streamed!,
      ),
    );
  const common = methodsIn('libs/{client-directory,service}/src/**/*.ts');
  return new Map(
    services.map((name) => [
      name as ServiceIdentity,
      new Set([...common, ...methodsIn(`services/${name}/src/**/*.ts`)]),
    ]),
  );
}
