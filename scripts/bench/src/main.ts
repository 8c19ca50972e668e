// npm run bench [-- NAME …]: the figures of the project, each as a ratio to a baseline of the same run.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from '@kontoport/scripts/generate';

/** Name → module beside this one and the function that measures and prints. */
const BENCHES = {
  start: { file: 'start.ts', run: 'benchStart' },
  bundles: { file: 'bundles.ts', run: 'benchBundles' },
  pages: { file: 'pages.ts', run: 'benchPages' },
  depth: { file: 'depth.ts', run: 'benchDepth' },
  tokens: { file: 'tokens.ts', run: 'benchTokens' },
  registration: { file: 'registration.ts', run: 'benchRegistration' },
  directory: { file: 'directory.ts', run: 'benchDirectory' },
  webhooks: { file: 'webhooks.ts', run: 'benchWebhooks' },
  neighbours: { file: 'neighbours.ts', run: 'benchNeighbours' },
  ledger: { file: 'ledger.ts', run: 'benchLedger' },
  feed: { file: 'feed.ts', run: 'benchFeed' },
  ingest: { file: 'ingest.ts', run: 'benchIngest' },
  drafts: { file: 'drafts.ts', run: 'benchDrafts' },
  backlog: { file: 'backlog.ts', run: 'benchBacklog' },
  sizes: { file: 'sizes.ts', run: 'benchSizes' },
  tracing: { file: 'tracing.ts', run: 'benchTracing' },
  certificates: { file: 'certificates.ts', run: 'benchCertificates' },
} as const;

const names = process.argv.slice(2);
const known = Object.keys(BENCHES);
if (names.some((name) => name.startsWith('-') || !known.includes(name))) {
  const wanted = names.includes('--help') || names.includes('-h');
  (wanted ? console.log : console.error)(
    `npm run bench [-- NAME …]   NAME: ${known.join(', ')}; without one, all
BENCH_BASELINE=FOLDER        another checkout, measured in turn with this one (start, ledger, ingest, webhooks)
BENCH_NODE_OPTIONS=OPTIONS   for the services (pages, tokens, webhooks, ledger, ingest)
BENCH_DELIVERIES=NUMBER       of the fan-out (webhooks; default 24000)
BENCH_PACED_SECONDS=NUMBER    of each rate (webhooks; default 10)
BENCH_WARM_SECONDS=NUMBER     of load before a rate is timed over Apache Kafka (webhooks; default 40)
BENCH_TRANSACTIONS=NUMBER     of a round or a file (ingest, feed)
BENCH_ROUNDS=NUMBER           in turn (ingest; default 3: tracing; default 20)
BENCH_STARTS=NUMBER           of each service (tracing; default 2)
BENCH_REQUESTS=pages,…        pages, tokens, webhooks, apart (tracing; default all)
BENCH_PAIRS=NUMBER            of processes beside each other (tracing; default 16)
BENCH_BACKLOG=NUMBER          deliveries that are due (backlog; default 200000)
BENCH_CASES=NUMBER            of databases, empty and grown (backlog; default 4)`,
  );
  process.exit(wanted ? 0 : 2);
}

generate();
for (const [name, { file, run }] of Object.entries(BENCHES)) {
  const path = join(import.meta.dirname, file);
  if (names.length > 0 ? !names.includes(name) : !existsSync(path)) continue;
  console.log(`\n${name}`);
  const module = (await import(path)) as Record<string, () => Promise<void>>;
  await module[run]!();
}
process.exit(0);
