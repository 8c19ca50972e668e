import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Ends `pid` with `signal` when this process ends in any way, including SIGKILL: the guard is a shell that reads a pipe
 * from this process. Call `release` after the end of the guarded process.
 * @param options.remove a folder to remove afterwards
 * @param options.groups control groups to remove afterwards, with their children
 */
export function guardProcess(options: {
  pid: number;
  signal: 'KILL' | 'INT' | 'QUIT' | 'TERM';
  remove?: string;
  groups?: readonly string[];
}): {
  release(): void;
} {
  // A dead process stays visible in a container without a reaper, so the wait for it is bounded.
  const script = `read _
    kill -"$1" "$2"
    for _ in $(seq 100); do kill -0 "$2" || break; sleep 0.1; done
    [ -z "$3" ] || rm -rf "$3"
    shift 3
    for group; do
      for _ in $(seq 100); do
        find "$group" -depth -type d -exec rmdir {} \\;
        [ -d "$group" ] || break
        sleep 0.1
      done
    done`;
  const guard: ChildProcess = spawn(
    'sh',
    [
      '-c',
      script,
      'sh',
      options.signal,
      String(options.pid),
      options.remove ?? '',
      ...(options.groups ?? []),
    ],
    { stdio: ['pipe', 'ignore', 'ignore'], detached: true },
  );
  guard.unref();
  // A pipe to a child is a socket and would hold the event loop.
  (guard.stdin as unknown as { unref(): void }).unref();
  guard.stdin!.on('error', () => {});
  return { release: () => void guard.kill('SIGKILL') };
}
