// node scripts/repo/launch.mjs FILE …: runs a program after checking packages, Node and generated code. It is plain JavaScript, so
// that an old Node prints what is missing. npm and npx put the Node of the packages first on the PATH.
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import * as module from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(HERE));
/** The first Node that strips types without a warning. */
const LEAST = [24, 12];

class Refusal extends Error {}

function requirePackages() {
  if (!existsSync(join(ROOT, 'node_modules/.package-lock.json')))
    throw new Refusal(`the packages are not installed: run npm ci first, in ${ROOT}`);
}

function requireNode() {
  const { node } = process.versions;
  const [major, minor] = node.split('.').map(Number);
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) return;
  throw new Refusal(
    `Node ${LEAST.join('.')} or newer is needed, this is ${node}: start through npm or npx, which use the Node of the ` +
      'packages; where npm runs no install scripts (ignore-scripts), npm rebuild node --ignore-scripts=false installs it',
  );
}

async function generateMissing() {
  const services = readdirSync(join(ROOT, 'services')).filter((name) =>
    existsSync(join(ROOT, 'services', name, 'prisma')),
  );
  const outputs = services.map((name) => `services/${name}/src/gen`);
  if (['proto/gen', ...outputs].every((folder) => existsSync(join(ROOT, folder, '.inputs')))) return;
  const { generate } = await import('./generate.ts');
  try {
    generate();
  } catch (error) {
    throw new Refusal(error.message, { cause: error });
  }
}

/**
 * Checks packages, Node and generated code, and runs a program.
 * @param {string[]} args the program's file, relative to this folder, and its arguments
 */
export async function launch([file, ...args]) {
  try {
    requirePackages();
    requireNode();
    // Compiled code halves the time of later starts, also those of child processes.
    process.env.NODE_COMPILE_CACHE ??= join(ROOT, 'node_modules/.cache/node-compile');
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
    await generateMissing();
    const program = resolve(HERE, file);
    process.argv.splice(1, process.argv.length, program, ...args);
    await import(pathToFileURL(program).href);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(`kontoport: ${error.message}.`);
    process.exitCode = 2;
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await launch(process.argv.slice(2));
