import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Makes the symbolic links of a folder of PostgreSQL's binaries that are missing. Packages hold none: an install script
 * makes them, and where npm runs no install scripts they would never come to be.
 * @throws the system's error when the folder cannot be written
 */
export function completeLinks(native: string): void {
  const file = join(native, 'pg-symlinks.json');
  if (!existsSync(file)) return;
  const links = JSON.parse(readFileSync(file, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    // Both begin with the folder's own name.
    const place = join(dirname(native), target);
    if (existsSync(place)) continue;
    try {
      symlinkSync(relative(dirname(target), source), place);
    } catch (error) {
      // Another start may have been faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
