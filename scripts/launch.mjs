// node scripts/launch.mjs FILE …: runs a program of this folder, whichever Node calls. Plain JavaScript that Node 18
// reads, too: it is what has to speak when nothing else can even be loaded.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import * as module from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(HERE);
/** The first that takes types out of TypeScript without saying anything about it. */
const LEAST = [24, 12];
const CACHE = join(ROOT, 'node_modules/.cache/node-compile');

class Refusal extends Error {}

/** @param {string} version such as "24.21.0" */
export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
}

/** The Node that the packages bring along. */
function pinnedNode() {
  const folder = join(ROOT, 'node_modules/node/bin');
  return ['node', 'node.exe'].map((name) => join(folder, name)).find((file) => existsSync(file));
}

function requirePackages() {
  if (!existsSync(join(ROOT, 'node_modules/.package-lock.json')))
    throw new Refusal(`the packages are not installed: run npm ci first, in ${ROOT}`);
}

/** Runs the same again in the Node of the packages, which ends with this process however that ends. */
async function runInPinnedNode(args) {
  const node = pinnedNode();
  if (node === undefined)
    throw new Refusal(
      `Node ${LEAST.join('.')} or newer is needed, this is ${process.versions.node}. The one that comes with the ` +
        'packages is not there, because npm runs no install scripts here (ignore-scripts): ' +
        'npm rebuild node --ignore-scripts=false brings it, or install Node 24',
    );
  const child = spawn(node, [fileURLToPath(import.meta.url), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  // Ctrl-C reaches the child by itself; this process only has to outlive it.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [code, signal] = await new Promise((done, failed) => {
    child.on('error', (error) => failed(new Refusal(`${node} does not run here: ${error.message}`)));
    child.on('exit', (...end) => done(end));
  });
  if (signal !== null) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exitCode = code ?? 1;
}

/** A process that was started by an older Node ends when that one is gone. */
function endWithCaller() {
  if (!process.connected) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

/** Half of a start is the reading of sources: what was read once is kept, here and in the processes that follow. */
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
  endWithCaller();
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
 * Checks what a program stands on, and runs it.
 * @param {string[]} args the program's file, relative to this folder, and its arguments
 */
export async function launch(args) {
  try {
    requirePackages();
    await (isNewEnough(process.versions.node) ? runHere(args) : runInPinnedNode(args));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(`kontoport: ${error.message}.`);
    process.exitCode = 2;
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await launch(process.argv.slice(2));
