import { NodeSDK } from '@opentelemetry/sdk-node';
import { doorSampler } from './door-sampler.ts';

// Only traces are sent; the other signals would need an endpoint of their own.
process.env.OTEL_METRICS_EXPORTER ??= 'none';
process.env.OTEL_LOGS_EXPORTER ??= 'none';

// What is traced is traced where it is done: nothing is hooked.
const sampler = doorSampler(process.env);
const sdk = new NodeSDK({ instrumentations: [], ...(sampler && { sampler }) });
sdk.start();

// The last spans of a draining process are sent before it ends.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void sdk.shutdown());
