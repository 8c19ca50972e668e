// The portal as a process.
import { runService } from '@kontoport/service';
import { portal } from './portal.ts';

await runService(portal);
