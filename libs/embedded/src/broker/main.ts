// The broker as a process of its own: one JSON argument, `{ folder, port, topics }`; a line on standard output says
// that it listens.
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
