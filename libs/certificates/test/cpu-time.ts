/**
 * Milliseconds of processor time that this thread has used. Bounds of work are measured in it, because a wall clock also counts
 * other processes of the machine.
 */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
