import { runService } from '@kontoport/service';
import { auth } from './service.ts';

await runService(auth);
