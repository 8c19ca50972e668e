// npm run qwac -- <command> …: certificates of third party providers on the command line.
import { importTrustedList } from './import-trusted-list.ts';
import { inspect } from './inspect.ts';
import { mintCommand } from './mint-command.ts';
import { verify } from './verify.ts';

interface Command {
  summary: string;
  /** Resolves to the exit status; throws when the arguments make no sense. */
  run: (args: string[]) => Promise<number>;
}

const commands: Record<string, Command> = {
  inspect: { summary: 'explains a certificate in plain language', run: inspect },
  verify: { summary: 'gives the verdict on a certificate', run: verify },
  mint: { summary: 'mints a QWAC of the local sandbox', run: mintCommand },
  'import-trusted-list': {
    summary: 'makes trust anchors of an EU trusted list',
    run: importTrustedList,
  },
};

const usage = `Certificates of third party providers.

  npm run qwac -- <command> [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(21)}${summary}`)
  .join('\n')}

  npm run qwac -- <command> --help explains one command.`;

async function main([name, ...args]: string[]): Promise<number> {
  if (name === '--help' || name === '-h') {
    console.log(usage);
    return 0;
  }
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    console.error(`${name === undefined ? 'no command given' : `unknown command: ${name}`}\n\n${usage}`);
    return 2;
  }
  try {
    return await command.run(args);
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
