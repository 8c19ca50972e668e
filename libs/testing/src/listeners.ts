import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A TCP socket that a process listens on. */
export interface Listener {
  pid: number;
  /** The program, as its command line says. */
  program: string;
  address: string;
  port: number;
}

const LISTENING = '0A';

/** Whether the listeners of other processes can be seen here: Linux tells them under /proc. */
export function canSeeListeners(): boolean {
  return process.platform === 'linux';
}

/** Listening TCP sockets, by what the descriptors of their processes point at. */
export type ListeningSockets = ReadonlyMap<string, { address: string; port: number }>;

/** Every TCP socket of this machine that is listened on. */
export function listeningSockets(): ListeningSockets {
  return new Map(['tcp', 'tcp6'].flatMap((table) => listeningIn(readOr(`/proc/net/${table}`))));
}

/** Every TCP socket that a process, one that it started, or one that those started, listens on. */
export const listenersOf = (root: number): Listener[] => listenersAmong(listeningSockets(), root);

/** Those of the sockets that a process, one that it started, or one that those started, listens on. */
export function listenersAmong(sockets: ListeningSockets, root: number): Listener[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), Number(/^PPid:\t(\d+)$/m.exec(readOr(`/proc/${name}/status`))?.[1])]),
  );
  const belongs = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || belongs(parents.get(pid)));
  return [...parents.keys()].filter(belongs).flatMap((pid) => {
    const program = readOr(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    return descriptors(pid)
      .flatMap((target) => sockets.get(target) ?? [])
      .map((socket) => ({ pid, program, ...socket }));
  });
}

/** The listening sockets of a table of the kernel, by what the descriptors of their processes point at. */
export function listeningIn(table: string): [string, { address: string; port: number }][] {
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === LISTENING)
    .map(([, local = '', , , , , , , , inode]) => {
      const [address = '', port = ''] = local.split(':');
      return [`socket:[${inode}]`, { address: readAddress(address), port: Number.parseInt(port, 16) }];
    });
}

/** Words of four bytes, each in the order of the machine. */
function readAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex').reverse()]);
  if (bytes.length === 4) return bytes.join('.');
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff;
  if (isMapped) return bytes.slice(12).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16));
  const text = groups.join(':');
  return text === '0:0:0:0:0:0:0:0' ? '::' : text.replace(/^(0:){7}/, '::');
}

function descriptors(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`);
      } catch {
        return '';
      }
    });
  } catch {
    return [];
  }
}

/** Processes end while they are looked at. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
