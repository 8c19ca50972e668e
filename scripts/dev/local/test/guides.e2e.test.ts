import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@kontoport/embedded/port';
import { describeWith } from '@kontoport/testing/describe-with';
import type { StackFile } from '../src/stack-file.ts';
import { LIMIT_MS, useStack } from './started-stack.ts';

const root = join(import.meta.dirname, '../../../..');
const folder = join(root, 'docs/guides');
const read = (id: string): string => readFileSync(join(folder, `${id}.md`), 'utf8');
/** In the order of the list, because the others begin with the files of the first one. */
const GUIDES = [...read('README').matchAll(/^- \[.+\]\(([\w-]+)\.md\)/gm)].map(([, id]) => id!);
/** A block of commands, with the reason for which it is not run, and the output that the guide shows. */
const BLOCK = /(?:<!-- not run: ([^]+?) -->\n+)?^```sh\n([^]*?)^```$(?:\n+```text\n([^]*?)^```$)?/gm;
const SEPARATOR = '\u0001\n';

interface Block {
  commands: string;
  shown: string | undefined;
}

const blocksOf = (id: string): Block[] =>
  [...read(id).matchAll(BLOCK)]
    .filter(([, reason]) => reason === undefined)
    .map(([, , commands, shown]) => ({ commands: commands!, shown }));

const lines = (text: string): string =>
  `\n${text
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join('\n')}\n`;

/** Whether an output has the lines that a guide shows, in their order; `…` is any text. */
function shows(output: string, shown: string): boolean {
  const ends = lines(shown)
    .split('…')
    .reduce((from, part) => {
      const at = from < 0 ? -1 : lines(output).indexOf(part, from);
      return at < 0 ? -1 : at + part.length;
    }, 0);
  return ends >= 0;
}

const { data, start } = useStack('file');
let stack: StackFile;
let port: number;
beforeAll(async () => {
  stack = await start('--no-tour').ready();
  port = await freePort();
}, LIMIT_MS);

/** The commands on the ports and the data folder of this test. */
function here(commands: string): string {
  const places: Record<string, string> = {
    'https://localhost:8443': stack.baseUrl,
    'https://localhost:8444': stack.registrationUrl,
    'https://localhost:8445': stack.authUrl,
    'https://localhost:8446': stack.userUrl,
    '127.0.0.1:3000': `127.0.0.1:${port}`,
    'listen(3000,': `listen(${port},`,
    '.local/': `${data()}/`,
  };
  return Object.entries(places)
    .reduce((text, [from, to]) => text.replaceAll(from, to), commands)
    .replaceAll(/kontoport qwac (mint|verify|revoke)/g, `$& --data ${data()}`)
    .replaceAll(
      /kontoport (login|call|trigger|clock|requests|sandbox reset)/g,
      `$& --stack ${join(data(), 'stack.json')}`,
    );
}

/** Runs blocks in one shell, up to the first command that fails. */
async function run(
  blocks: readonly string[],
): Promise<{ status: number; outputs: string[]; stderr: string }> {
  const script = [`trap 'kill $(jobs -p) 2> /dev/null || true' EXIT`, blocks.join(`printf '${SEPARATOR}'\n`)];
  const args = ['-e', '-u', '-o', 'pipefail', '-c', script.join('\n')];
  const { code, stdout, stderr } = await promisify(execFile)('bash', args, {
    cwd: root,
    timeout: LIMIT_MS,
  }).then(
    (said) => ({ ...said, code: 0 }),
    (error: unknown) => error as { code: number; stdout: string; stderr: string },
  );
  return { status: code, outputs: stdout.split(SEPARATOR), stderr };
}

const hasCurl = ['bash', 'curl'].every((tool) => spawnSync(tool, ['--version']).status === 0);
describeWith(
  'the commands of the guides (§9.5)',
  { missing: hasCurl ? undefined : 'no bash or no curl: install both' },
  () => {
    it.each(GUIDES.filter((id) => blocksOf(id).length > 0))(
      '%s: each succeeds, and prints what the guide shows',
      async (id) => {
        const blocks = blocksOf(id);
        const { status, outputs, stderr } = await run(blocks.map(({ commands }) => here(commands)));
        const failed =
          status === 0 ? '' : `${blocks[outputs.length - 1]?.commands}${outputs.at(-1)}${stderr}`;
        expect(failed).toBe('');
        const different = blocks
          .map(({ shown = '…' }, at) => ({ shown, output: outputs[at]! }))
          .filter(({ shown, output }) => !shows(output, shown));
        expect(different).toEqual([]);
      },
      2 * LIMIT_MS,
    );
  },
);
