import { ADDRESS_NAMES, ADDRESSES } from '@kontoport/service';
import { routesOfServices } from '../index/service-routes.ts';
import { keepPage } from './keep-page.ts';
import { table } from './operations-page.ts';
import { rpcsOfServices, type ServedRpc } from './service-rpcs.ts';

const PEERS_FILE = 'docs/operations/internal-traffic.md';

/** docs/operations/internal-traffic.md: who speaks to whom inside, for network policies and for whoever asks. */
export async function renderPeers(root: string): Promise<string> {
  const rpcs = await rpcsOfServices(root);
  const routes = await routesOfServices(root);
  const addresses = ADDRESS_NAMES.flatMap((address) => {
    const servers = [
      ...new Set(routes.filter((each) => each.address === address).map(({ service }) => service)),
    ];
    return servers.map((service) => [
      address,
      service,
      ADDRESSES[address].port,
      list(ADDRESSES[address].callers),
    ]);
  });
  return `# Who speaks to whom inside

<!-- Written by \`npm run index\` from the rpcs of the services and libs/service/src/addresses.ts. -->

With internal TLS (\`INTERNAL_TLS_CERT_FILE\`, \`INTERNAL_TLS_KEY_FILE\`, \`INTERNAL_TLS_CA_FILE\`) both ends of every connection
below prove who they are: by a certificate of the internal authority that bears the name as a DNS name of one label (\`auth\`) or
as the end of a SPIFFE id (\`spiffe://bank.example/ns/door/sa/auth\`). Whoever else holds a certificate of that authority is
refused, and the refusal is logged. How certificates are replaced: [rotate secrets](rotate-secrets.md). \`OPS_PORT\` is the
platform's, and plain.

**The authority must give these names to nobody else.** Of a SPIFFE id neither the trust domain nor the path before the end is looked
at, so \`spiffe://bank.example/ns/another/sa/bank\` is the bank, too; an issuer that signs for every namespace of a cluster lets
whoever may ask it be the edge. Each installation, a sandbox beside production as well, has an authority of its own.

## Connections

What a network policy allows; everything else is denied. To these come PostgreSQL, Kafka, the bank (\`BANK_GRPC\`) and, for
all services, the addresses at which certificates name OCSP responders and CRLs.

${table([['From', 'To', 'Port'], ...connections(rpcs, addresses)])}

## HTTP

${table([['Address', 'Served by', 'Port', 'Callers'], ...addresses])}

At \`auth_url\` services fetch the keys of access tokens; certificates of TPPs are believed of the edge alone.

## Rpcs

${table([
  ['Rpc', 'Served by', 'Callers'],
  ...rpcs.map(({ path, service, allowedCallers = [] }) => [`\`${path}\``, service, list(allowedCallers)]),
])}

The health service (\`grpc.health.v1.Health\`) answers whoever has an internal certificate.
`;
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

/** Writes the page, or with `check` compares it; returns what is wrong, a sentence each. */
export async function peersPage(root: string, { check }: { check: boolean }): Promise<string[]> {
  return keepPage({ root, file: PEERS_FILE, text: await renderPeers(root), check });
}
