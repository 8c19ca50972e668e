import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '../../../..');

/** The part of stack.json that is of use here. */
export interface RunningStack {
  registrationUrl: string;
  serverCa: string;
}

/** Absolute path of the local stack's data folder. */
export function dataFolder(given: string | undefined): string {
  return resolve(given ?? join(ROOT, '.local'));
}

/** The stack that runs on a data folder. */
export function runningStack(data: string): RunningStack | undefined {
  const file = join(data, 'stack.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RunningStack) : undefined;
}

/** The folder of the sandbox's trust anchors; undefined when no sandbox was started on these data. */
export function sandboxAnchors(data: string): string | undefined {
  const folder = join(data, 'trust-anchors');
  return existsSync(folder) && readdirSync(folder).length > 0 ? folder : undefined;
}

/** An instant as people and machines read it, in whole seconds. */
export function instant(date: Date | number): string {
  return new Date(date).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** Times in the words of a check, in whole seconds. */
export function inWholeSeconds(text: string): string {
  return text.replaceAll(/(T\d\d:\d\d:\d\d)\.000Z/g, '$1Z');
}
