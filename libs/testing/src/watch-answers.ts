// Preloaded into the service processes of tests: checks every answer, webhook and event, and logs faults.
import { subscribe } from 'node:diagnostics_channel';

// Loaded on first use, so that a quiet process starts as fast as without it.
const load = () => import('./documented-answers.ts');
type Checks = Awaited<ReturnType<typeof load>>;
let loading: Promise<Checks> | undefined;

function watch(channel: string, check: (checks: Checks, said: never) => string[]): void {
  subscribe(channel, (said) => {
    void (loading ??= load()).then((checks) => {
      for (const fault of check(checks, said as never))
        process.stderr.write(`${JSON.stringify({ level: 'error', msg: checks.ANSWER_FAULT, fault })}\n`);
    });
  });
}

watch('kontoport.http.answer', ({ checkOfDocuments }, said) => checkOfDocuments()(said));
watch('kontoport.webhook', ({ checkOfWebhooks }, said) => checkOfWebhooks()(said));
watch('kontoport.event', ({ checkOfEvents }, said) => checkOfEvents()(said));
