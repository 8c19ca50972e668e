import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Service } from '@kontoport/service';

/** A service of this repository, with the folder of its sources from the repository's root. */
export interface LoadedService {
  service: Service;
  src: string;
}

/** Loads the service that each `services/<name>/src/service.ts` exports, and opens nothing of it. */
export async function loadServices(root: string): Promise<LoadedService[]> {
  const files = globSync('services/*/src/service.ts', { cwd: root }).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const exported = Object.values((await import(join(root, file))) as Record<string, unknown>);
      const service = exported.find(isService);
      if (service === undefined) throw new Error(`${file} exports no service`);
      return { service, src: dirname(file) };
    }),
  );
}

const isService = (value: unknown): value is Service =>
  typeof value === 'object' && value !== null && 'entryPoints' in value;
