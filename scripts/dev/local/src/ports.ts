import { freePorts, isFree } from '@kontoport/embedded/port';
import { perService, type ServiceName, type ServicePorts, SERVICES } from './services.ts';
import { type EdgeAddress, PORT_OPTIONS } from './start-arguments.ts';

/** Loopback ports of the processes of the stack, and of its addresses. */
export interface StackPorts {
  /** Where the others reach a service. */
  services: Record<ServiceName, ServicePorts>;
  /** The ports of each replica of a service. Of one, they are those above. */
  replicas: Record<ServiceName, readonly ServicePorts[]>;
  /** Ports of the addresses that TPPs and users call. */
  addresses: Record<EdgeAddress, number>;
  /** Ports of the example bank. */
  bank: { grpc: number; pages: number; ops: number };
}

/** http, grpc, ops and user. */
const PORTS_OF_ONE = 4;

/**
 * Gives every listener a port: the user's choice, or a free one for 0.
 * @throws Error with a message for the user that names every chosen port that is taken
 */
export async function assignPorts(
  chosen: Record<EdgeAddress, number>,
  replicas: Record<ServiceName, number> = perService(() => 1),
): Promise<StackPorts> {
  const addresses = Object.entries(chosen) as [EdgeAddress, number][];
  const free = await Promise.all(addresses.map(async ([, port]) => port === 0 || (await isFree(port))));
  const unfree = addresses.filter((_, at) => !free[at]);
  if (unfree.length > 0) throw taken(unfree);
  const listeners = SERVICES.reduce((sum, name) => sum + PORTS_OF_ONE * (1 + replicas[name]), 0);
  const [grpc, pages, bankOps, ...rest] = (await freePorts(listeners + addresses.length + 3)) as [
    number,
    number,
    number,
    ...number[],
  ];
  const ofOne = (): ServicePorts => {
    const [http, grpc, ops, user] = rest.splice(0, PORTS_OF_ONE) as [number, number, number, number];
    return { http, grpc, ops, user };
  };
  const services = perService(ofOne);
  return {
    bank: { grpc, pages, ops: bankOps },
    addresses: Object.fromEntries(
      addresses.map(([address, port]) => [address, port === 0 ? rest.pop()! : port]),
    ) as Record<EdgeAddress, number>,
    services,
    replicas: perService((name) =>
      replicas[name] === 1 ? [services[name]] : Array.from({ length: replicas[name] }, ofOne),
    ),
  };
}

function taken(addresses: readonly [EdgeAddress, number][]): Error {
  const several = addresses.length > 1;
  const list = addresses.map(([address, port]) => `${port} (${address})`).join(', ');
  const flags = addresses.map(([address, port]) => `--${PORT_OPTIONS[address].flag} ${another(port)}`);
  const variables = addresses.map(([address]) => PORT_OPTIONS[address].variable);
  return new Error(
    `the ${several ? 'ports' : 'port'} ${list} ${several ? 'are' : 'is'} taken by another program. Choose ${several ? 'others' : 'another'}, for example: npm start -- ${flags.join(' ')} (or ${variables.join(', ')})`,
  );
}

/** Suggests a port that differs clearly from a taken one. */
const another = (port: number): number => (port > 64_535 ? port - 1_000 : port + 1_000);
