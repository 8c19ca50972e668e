// kontoport …: every program of the repository for people, under one name.
import { runCommandLine } from '@kontoport/command';
import { COMMANDS, NAME } from './commands.ts';

process.exitCode = await runCommandLine({
  name: NAME,
  root: COMMANDS,
  args: process.argv.slice(2),
  env: process.env,
});
