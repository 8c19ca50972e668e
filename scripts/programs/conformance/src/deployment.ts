import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type FaultName, FAULTS, mintQwac, type PspRole, type Qwac, readIssuer } from '@kontoport/issuing';
import { createAnswerCheck } from '@kontoport/openapi/check-answer';
import { type Answer, type Call, openTransport, type TlsIdentity, type Transport } from '@kontoport/profile';
import base from '@kontoport/proto/openapi/account-and-payment' with { type: 'json' };
import registration from '@kontoport/proto/openapi/registration' with { type: 'json' };
import token from '@kontoport/proto/openapi/token' with { type: 'json' };
import user from '@kontoport/proto/openapi/user' with { type: 'json' };
import { type Address, ADDRESSES, type Config } from './config.ts';
import { Skipped } from './expectations.ts';

const DOCUMENTS = {
  baseUrl: base,
  registrationUrl: registration,
  authUrl: token,
  userUrl: user,
} satisfies Record<Address, object>;

/** A client certificate with its chain, leaf first, and its key, as PEM. */
export interface Identity extends Pick<TlsIdentity, 'cert' | 'key'> {}

/** The deployment under test: connections to it, and minted certificates. */
export class Deployment {
  readonly config: Config;
  /** Faults of the answers by the OpenAPI documents. */
  readonly documentFaults = new Set<string>();
  /** Connections without a client certificate, as a browser has them. */
  readonly anonymous: Transport;
  readonly #opened: Transport[] = [];

  constructor(config: Config) {
    this.config = config;
    this.anonymous = this.open();
  }

  open(identity: Identity = {}): Transport {
    const { cert, key } = identity;
    const ca = readFileSync(this.config.serverCa);
    const transport = openTransport({ ca, ...(cert && { cert }), ...(key && { key }) });
    this.#opened.push(transport);
    return transport;
  }

  /** Sends a request, and checks its answer by the OpenAPI document of its address. */
  async send(
    transport: Transport,
    address: Address,
    call: Omit<Call, 'url'> & { path: string },
  ): Promise<Answer> {
    const { path, ...rest } = call;
    const answer = await transport.send({ ...rest, url: this.config[address] + path });
    const template = templateOf(address, path);
    if (
      template !== undefined &&
      template in METHODS[address] &&
      METHODS[address][template]!.has(call.method)
    )
      for (const fault of CHECKS[address]({ ...answer, method: call.method, path: template }))
        this.documentFaults.add(fault);
    return answer;
  }

  /** Mints a certificate of an organization of its own. @throws Skipped without an issuing CA */
  async mint(
    options: { roles?: readonly PspRole[]; fault?: FaultName } = {},
  ): Promise<Identity & { qwac: Qwac }> {
    const { roles = ['PSP_AI', 'PSP_PI'], fault } = options;
    if (this.config.issuingCa === undefined) throw new Skipped('the configuration has no issuingCa');
    const organizationIdentifier = `PSDDK-DFSA-${randomInt(10_000_000, 99_999_999)}`;
    const qwac = await mintQwac({
      request: { name: 'Conformance', organizationIdentifier, roles, days: 1 },
      issuer: await readIssuer(this.config.issuingCa),
      at: new Date(),
      ...(fault && { fault: FAULTS[fault] }),
    });
    return { cert: qwac.chainPem, key: qwac.keyPem, qwac };
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((transport) => transport.close()));
  }
}

const byAddress = <T>(make: (address: Address) => T): Record<Address, T> =>
  Object.fromEntries(ADDRESSES.map((address) => [address, make(address)])) as Record<Address, T>;

const CHECKS = byAddress((address) => createAnswerCheck([DOCUMENTS[address]]));
const METHODS = byAddress((address) =>
  Object.fromEntries(
    Object.entries<object>(DOCUMENTS[address].paths).map(([path, item]) => [
      path,
      new Set(Object.keys(item).map((verb) => verb.toUpperCase())),
    ]),
  ),
);

/** The path of an operation in the document, with `{names}` for ids. A path without ids goes first. */
function templateOf(address: Address, path: string): string | undefined {
  const given = path
    .replace(/[?#].*$/, '')
    .replace(/^\/aisp-pisp(?=\/)/, '')
    .split('/');
  const fits = Object.keys(METHODS[address]).filter((template) => {
    const parts = template.split('/');
    return (
      parts.length === given.length && parts.every((part, at) => part.startsWith('{') || part === given[at])
    );
  });
  return fits.toSorted((a, b) => a.split('{').length - b.split('{').length)[0];
}
