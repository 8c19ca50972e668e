import { runService } from '@kontoport/runtime';
import { start } from './start.ts';

await runService('account-information', start);
