import { ADDRESS_NAMES, ADDRESSES } from '@kontoport/service';
import { routesOfServices } from '../index/service-routes.ts';
import { type Blocks, table } from './keep-page.ts';
import { rpcsOfServices, type ServedRpc } from './service-rpcs.ts';

/** The connections, addresses and rpcs of docs/operations/internal-traffic.md. */
export async function peersBlocks(root: string): Promise<Blocks> {
  const rpcs = await rpcsOfServices(root);
  const routes = await routesOfServices(root);
  const addresses = ADDRESS_NAMES.flatMap((address) => {
    const serving = routes.filter((each) => each.address === address).map(({ service }) => service);
    const { port, callers } = ADDRESSES[address];
    return [...new Set(serving)].map((service) => [address, service, port, list(callers)]);
  });
  return {
    connections: table([['From', 'To', 'Port'], ...connections(rpcs, addresses)]),
    addresses: table([['Address', 'Served by', 'Port', 'Callers'], ...addresses]),
    rpcs: table([
      ['Rpc', 'Served by', 'Callers'],
      ...rpcs.map(({ path, service, allowedCallers = [] }) => [`\`${path}\``, service, list(allowedCallers)]),
    ]),
  };
}

const list = (peers: readonly string[]): string => (peers.length === 0 ? 'nobody' : peers.join(', '));

/** Rows of caller, called and port, each once. */
function connections(rpcs: readonly ServedRpc[], addresses: readonly string[][]): string[][] {
  const rows = [
    ...rpcs.flatMap(({ service, allowedCallers = [] }) =>
      allowedCallers.map((peer) => [peer, service, 'GRPC_PORT']),
    ),
    ...addresses.flatMap(([, service, port, callers]) =>
      callers!.split(', ').map((peer) => [peer, service!, port!]),
    ),
  ];
  return [...new Map(rows.map((row) => [row.join(), row])).values()].toSorted((one, other) =>
    one.join() < other.join() ? -1 : 1,
  );
}
