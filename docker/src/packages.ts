import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

/** An installed npm package. */
export interface Package {
  name: string;
  version: string;
  /** SPDX expression. */
  license: string;
  /** Its folder. */
  folder: string;
}

interface Manifest {
  name?: string;
  version?: string;
  license?: string;
  dependencies?: Record<string, string>;
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The package of a file; undefined for our own files. */
export function packageOf(file: string): Package | undefined {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  return folder === undefined ? undefined : packageIn(folder);
}

function packageIn(folder: string): Package {
  const { name, version, license } = readManifest(folder);
  if (!name || !version || !license) throw new Error(`${folder}: name, version or license is missing`);
  return { name, version, license, folder };
}

/** Whether a file of a package can be loaded: types, maps, manuals and tests cannot. */
const IS_LOADED = /(\.([cm]?js|json|node|wasm)|\/LICEN[CS]E[^/]*)$/i;
const IS_ABOUT = /\/(test|tests|types|docs|example|examples|node_modules)$|\.test\.js$/;

/**
 * Copies packages and their dependencies to `folder/node_modules`, in the same layout.
 * @param options.leftOut packages that are never loaded
 * @returns the copied packages
 */
export function copyPackages(options: {
  root: string;
  names: readonly string[];
  leftOut: readonly string[];
  folder: string;
}): Package[] {
  const { root, names, leftOut, folder } = options;
  const copied = new Map<string, Package>();
  const copy = (name: string, from: string): void => {
    const place = findPackage(name, from);
    if (leftOut.includes(name) || copied.has(place)) return;
    copied.set(place, packageIn(place));
    cpSync(place, join(folder, relative(root, place)), {
      recursive: true,
      filter: (path) =>
        path === place || (!IS_ABOUT.test(path) && (statSync(path).isDirectory() || IS_LOADED.test(path))),
    });
    for (const needed of Object.keys(readManifest(place).dependencies ?? {})) copy(needed, place);
  };
  for (const name of names) copy(name, root);
  return [...copied.values()];
}

/** Finds a package as Node does, from a folder upwards. */
function findPackage(name: string, from: string): string {
  for (let at = from; ; at = dirname(at)) {
    const place = join(at, 'node_modules', name);
    if (basename(at) !== 'node_modules' && existsSync(join(place, 'package.json'))) return place;
    if (at === dirname(at)) throw new Error(`${name} is not installed for ${from}`);
  }
}
