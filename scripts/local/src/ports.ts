import { freePorts, isFree } from '@kontoport/embedded/port';
import { perService, type ServiceName, type ServicePorts, SERVICES } from './services.ts';
import { type EdgeAddress, PORT_OPTIONS } from './start-arguments.ts';

/** Loopback ports of everything that runs in processes of its own. */
export interface StackPorts {
  services: Record<ServiceName, ServicePorts>;
  /** Of the addresses that TPPs and users call. */
  addresses: Record<EdgeAddress, number>;
  edgeOps: number;
}

/**
 * Gives every listener a port: the person's choice, or a free one where that is 0.
 * @throws Error in words for the person at the terminal when a chosen port is taken
 */
export async function assignPorts(chosen: Record<EdgeAddress, number>): Promise<StackPorts> {
  const addresses = Object.entries(chosen) as [EdgeAddress, number][];
  for (const [address, port] of addresses)
    if (port !== 0 && !(await isFree(port))) throw taken(address, port);
  const perServiceCount = 4;
  const free = await freePorts(SERVICES.length * perServiceCount + addresses.length + 1);
  const [edgeOps, ...rest] = free as [number, ...number[]];
  return {
    edgeOps,
    addresses: Object.fromEntries(
      addresses.map(([address, port]) => [address, port === 0 ? rest.pop()! : port]),
    ) as Record<EdgeAddress, number>,
    services: perService((_, at) => {
      const [http, grpc, ops, user] = rest.slice(perServiceCount * at) as [number, number, number, number];
      return { http, grpc, ops, user };
    }),
  };
}

function taken(address: EdgeAddress, port: number): Error {
  const { flag, variable } = PORT_OPTIONS[address];
  return new Error(
    `port ${port} is taken by another program (${address} address): choose another with --${flag} N or ${variable}=N, for example npm start -- --${flag} ${port + 1000}`,
  );
}
