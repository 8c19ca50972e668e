// npm start: the whole sandbox on this machine, and a tour through it.
import { join } from 'node:path';
import { runStart } from './run-start.ts';

process.exitCode = await runStart({
  args: process.argv.slice(2),
  env: process.env,
  root: join(import.meta.dirname, '../../..'),
});
