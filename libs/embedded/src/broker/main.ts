// Runs the broker as a process. The argument is JSON, `{ folder, port, topics }`; a line of output reports its port.
import { type BrokerOptions, serveBroker } from './serve.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as BrokerOptions;
try {
  const broker = await serveBroker(options);
  const stop = (): void => void broker.close().then(() => process.exit(0));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  process.stdout.write(`${JSON.stringify({ port: broker.port })}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
