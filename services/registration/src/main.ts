import { runService } from '@kontoport/service';
import { registration } from './service.ts';

await runService(registration);
