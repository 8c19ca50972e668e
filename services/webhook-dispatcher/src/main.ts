import { runService } from '@kontoport/service';
import { webhookDispatcher } from './service.ts';

// A delivery in flight takes up to 15 s, and is recorded after that.
await runService(webhookDispatcher, { closeMs: 18_000 });
