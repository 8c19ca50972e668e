import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A TCP socket that a process listens on. */
export interface Listener {
  pid: number;
  /** The command line. */
  program: string;
  address: string;
  port: number;
}

const LISTENING = '0A';

/** Whether /proc shows the listeners of other processes, as on Linux. */
export function canSeeListeners(): boolean {
  return process.platform === 'linux';
}

/** Listening TCP sockets, by the targets of file descriptors. */
export type ListeningSockets = ReadonlyMap<string, { address: string; port: number }>;

/** Reads all listening TCP sockets of this machine. */
export function listeningSockets(): ListeningSockets {
  return new Map(['tcp', 'tcp6'].flatMap((table) => listeningIn(readOr(`/proc/net/${table}`))));
}

/** Finds the listening sockets of a process and its descendants. */
export const listenersOf = (root: number): Listener[] => listenersAmong(listeningSockets(), root);

/** Selects the sockets of a process and its descendants. */
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

/** Parses the listening sockets of a kernel table. */
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

/** Decodes words of four bytes in the machine's byte order. */
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

/** A process may end during the read. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
