// node scripts/repo/launch.mjs FILE …: runs a program of this folder. Plain JavaScript that an old Node reads as well: it
// says what is missing. npm and npx put the Node of the packages first on the PATH, whichever Node the host has.
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import * as module from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(HERE));
/** The first Node that strips types without a warning. */
const LEAST = [24, 12];
const CACHE = join(ROOT, 'node_modules/.cache/node-compile');

class Refusal extends Error {}

/** @param {string} version such as "24.21.0" */
export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
}

function requirePackages() {
  if (!existsSync(join(ROOT, 'node_modules/.package-lock.json')))
    throw new Refusal(`the packages are not installed: run npm ci first, in ${ROOT}`);
}

function requireNode() {
  if (isNewEnough(process.versions.node)) return;
  throw new Refusal(
    `Node ${LEAST.join('.')} or newer is needed, this is ${process.versions.node}: start through npm or npx, which use ` +
      'the Node of the packages; where npm runs no install scripts (ignore-scripts), ' +
      'npm rebuild node --ignore-scripts=false brings it',
  );
}

/** Keeps compiled code for later starts, which take half the time, here and in child processes. */
function keepCompiled() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  const { FAILED, DISABLED } = module.constants.compileCacheStatus;
  const { status } = module.enableCompileCache(CACHE);
  if (status !== FAILED && status !== DISABLED) process.env.NODE_COMPILE_CACHE = CACHE;
}

async function generateMissing() {
  const services = readdirSync(join(ROOT, 'services')).filter((name) =>
    existsSync(join(ROOT, 'services', name, 'prisma/schema.prisma')),
  );
  const outputs = ['proto/gen', ...services.map((name) => `services/${name}/src/gen`)];
  if (outputs.every((folder) => existsSync(join(ROOT, folder, '.inputs')))) return;
  const { generate } = await import('./generate.ts');
  try {
    generate();
  } catch (error) {
    throw new Refusal(error.message, { cause: error });
  }
}

async function runHere([file, ...args]) {
  keepCompiled();
  await generateMissing();
  const program = resolve(HERE, file);
  process.argv.splice(1, process.argv.length, program, ...args);
  try {
    await import(pathToFileURL(program).href);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !/Cannot find package/.test(error.message)) throw error;
    throw new Refusal(`${error.message.split(' imported from')[0]}: run npm ci again`, { cause: error });
  }
}

/**
 * Checks packages, Node and generated code, and runs a program.
 * @param {string[]} args the program's file, relative to this folder, and its arguments
 */
export async function launch(args) {
  try {
    requirePackages();
    requireNode();
    await runHere(args);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(`kontoport: ${error.message}.`);
    process.exitCode = 2;
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await launch(process.argv.slice(2));
