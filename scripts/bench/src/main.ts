// npm run bench [-- NAME …]: measures, prints each figure beside its budget, and ends with 1 when one is missed.
import { parseArgs } from 'node:util';
import { generate } from '@kontoport/repo/generate';
import { type Figure, type Options, print } from './harness.ts';

const BENCHES: Readonly<Record<string, () => Promise<(options: Options) => Promise<Figure[]>>>> = {
  tokens: async () => (await import('./tokens.ts')).benchTokens,
  page: async () => (await import('./page.ts')).benchPage,
  ledger: async () => (await import('./ledger.ts')).benchLedger,
  webhooks: async () => (await import('./webhooks.ts')).benchWebhooks,
  start: async () => (await import('./start.ts')).benchStart,
};

const HELP = `usage: npm run bench [-- NAME …] [options]     NAME: ${Object.keys(BENCHES).join(', ')}; default: all

  --rounds N       of each comparison (default 5)
  --deliveries N   of the fan-out of webhooks (default 24000)
  --seconds N      of postings at a fixed rate (default 10)
  --tracing        tokens: with a collector as well, at the chart's share and all traces

Every ratio is to a baseline of the same run. Run it on a quiet machine: the exit code is 1
when a budget is missed.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    deliveries: { type: 'string', default: '24000' },
    seconds: { type: 'string', default: '10' },
    tracing: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const unknown = positionals.filter((name) => !(name in BENCHES));
if (values.help || unknown.length > 0) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}

generate();
const options: Options = {
  rounds: Number(values.rounds),
  deliveries: Number(values.deliveries),
  seconds: Number(values.seconds),
  tracing: values.tracing,
};
let missed = 0;
for (const [name, load] of Object.entries(BENCHES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  console.log(`\n${name}`);
  const bench = await load();
  for (const figure of await bench(options)) if (!print(figure)) missed += 1;
}
console.log(missed === 0 ? '\nall budgets are met' : `\n${missed} budgets are missed`);
process.exit(missed === 0 ? 0 : 1);
