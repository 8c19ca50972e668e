import { runService } from '@kontoport/service';
import { payments } from './service.ts';

await runService(payments);
