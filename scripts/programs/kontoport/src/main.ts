// kontoport …: every program of the repository for people, under one name.
import { runCommandLine } from '@kontoport/command';
import { program } from './commands.ts';

await runCommandLine(program, { args: process.argv.slice(2), env: process.env });
