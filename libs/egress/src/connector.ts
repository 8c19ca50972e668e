import { connect, isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { AllowedNames } from './allowed-names.ts';
import { ConnectionLost, ConnectTimeout, EgressForbidden } from './faults.ts';
import { ProxyRefused, type Tunnels } from './proxy-tunnel.ts';
import { TlsClient } from './tls-client.ts';

/** Where a connection is to lead. */
export interface Target {
  isTls: boolean;
  /** A name, or an address without brackets. */
  hostname: string;
  port: number;
}

/** Hears what comes over a connection: the first `length` bytes, which are gone when it has returned. */
export interface Reader {
  read(bytes: Buffer, length: number): void;
}

/** Keeps connections from addresses that are not allowed. */
export interface Guard {
  names: AllowedNames;
  /** Through which all connections go. */
  tunnels: Tunnels | undefined;
}

export interface ConnectorOptions {
  /** Absent: names are looked up as the machine does, and may lead anywhere. */
  guard?: Guard;
  /** Asked at each connection, and may be another each time; absent: whom Node trusts, and nothing that proves us. */
  secureContext?: SecureContext | undefined;
  /** Milliseconds for a connection, name and TLS included; default 10,000. */
  limitMs?: number | undefined;
}

/** For all connections: whatever comes has been dealt with before more is read. */
const ROOM = Buffer.allocUnsafeSlow(64 * 1024);

/** Makes connections; with a guard, to allowed addresses alone. */
export class Connector {
  readonly #guard: Guard | undefined;
  readonly #tls: TlsClient;
  readonly #limitMs: number;
  readonly #underWay = new Set<Socket>();

  constructor({ guard, secureContext, limitMs = 10_000 }: ConnectorOptions) {
    this.#guard = guard;
    this.#tls = new TlsClient(secureContext);
    this.#limitMs = limitMs;
  }

  /**
   * Connects, over TLS where it is wanted, with a peer that is verified by its name. It is the address really connected to
   * that is judged, so a name that is resolved anew for each connection gains nothing.
   * @param reader hears what comes; there may be something before the promise is settled
   * @throws EgressForbidden, ConnectTimeout, or an Error of the network, TLS or the proxy
   */
  async connect(target: Target, reader: Reader): Promise<Socket> {
    const { hostname } = target;
    // A literal address is never looked up.
    if (isIP(hostname) !== 0 && this.#guard?.names.allows(hostname) === false)
      throw new EgressForbidden('the address is not public');
    const { names, tunnels } = this.#guard ?? {};
    return names === undefined || tunnels === undefined
      ? this.#connectDirectly(target, reader)
      : this.#connectThrough({ names, tunnels }, target, reader);
  }

  /** Hears that nobody waits for a connection to this name any more. */
  giveUp(hostname: string): void {
    this.#guard?.names.giveUp(hostname);
  }

  /** Gives up what is under way. */
  destroy(): void {
    this.#guard?.tunnels?.destroy();
    for (const socket of this.#underWay) socket.destroy();
  }

  #connectDirectly(target: Target, reader: Reader): Promise<Socket> {
    const callback = (length: number, bytes: Uint8Array): true => {
      reader.read(bytes as Buffer, length);
      return true;
    };
    const { hostname: host, port, isTls } = target;
    const names = this.#guard?.names;
    const onread = { buffer: ROOM, callback };
    const options = { host, port, onread, ...(names && { lookup: names.lookup }) };
    const socket = isTls ? this.#tls.connect(target, options) : connect(options);
    socket.setNoDelay(true).once('connect', () => {
      const { remoteAddress } = socket;
      // Whoever resets at once has none any more.
      if (remoteAddress === undefined) socket.destroy();
      else if (names?.allows(remoteAddress) === false)
        socket.destroy(new EgressForbidden('the connected address is not public'));
    });
    return this.#connected(socket, isTls ? 'secureConnect' : 'connect');
  }

  /** Connects by a tunnel to an allowed address, and speaks TLS with the target itself. */
  async #connectThrough(
    { names, tunnels }: { names: AllowedNames; tunnels: Tunnels },
    target: Target,
    reader: Reader,
  ): Promise<Socket> {
    const { hostname, port, isTls } = target;
    const address = isIP(hostname) === 0 ? (await names.find(hostname))[0].address : hostname;
    const tunnel = await tunnels.open({ address, port, limitMs: this.#limitMs }).catch((error: unknown) => {
      throw error instanceof ProxyRefused ? new EgressForbidden('the proxy refuses') : error;
    });
    const socket = isTls
      ? await this.#connected(this.#tls.connect(target, { host: hostname, socket: tunnel }), 'secureConnect')
      : tunnel;
    return socket.on('data', (bytes: Buffer) => reader.read(bytes, bytes.length));
  }

  #connected(socket: Socket, event: 'connect' | 'secureConnect'): Promise<Socket> {
    this.#underWay.add(socket);
    return new Promise<Socket>((resolve, reject) => {
      const timer = setTimeout(
        () => socket.destroy(new ConnectTimeout('no connection in time')),
        this.#limitMs,
      );
      const settle = (): void => {
        clearTimeout(timer);
        this.#underWay.delete(socket);
      };
      socket.once(event, () => {
        settle();
        if (!socket.destroyed) resolve(socket);
      });
      socket.on('error', reject);
      socket.once('close', () => {
        settle();
        reject(new ConnectionLost('no connection'));
      });
    });
  }
}
