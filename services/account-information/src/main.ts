import { runService } from '@kontoport/service';
import { accountInformation } from './service.ts';

await runService(accountInformation);
