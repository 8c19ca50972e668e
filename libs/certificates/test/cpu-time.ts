/**
 * Milliseconds of processor time that this thread has used: what a bound of work is measured in, since a clock on the
 * wall also counts what others do on the machine meanwhile.
 */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
