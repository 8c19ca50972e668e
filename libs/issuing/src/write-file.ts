import { rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Writes a file so that a reader sees the old content or the new, never a part. `mode` as in chmod. */
export async function writeFileAtomically(file: string, content: string, mode = 0o644): Promise<void> {
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}`);
  await writeFile(draft, content, { mode });
  await rename(draft, file);
}
