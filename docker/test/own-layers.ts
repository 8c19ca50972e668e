import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Engine } from '../src/engine.ts';

/** Bytes of the layers of each image above its base, compressed. */
export async function ownLayers(
  engine: Engine,
  { images, base }: { images: readonly string[]; base: string },
): Promise<Map<string, number>> {
  const layers = await engine.mustRun(['image', 'inspect', '--format', '{{json .RootFS.Layers}}', base]);
  const below = (JSON.parse(layers) as string[]).length;
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-image-'));
  try {
    const file = join(folder, 'images.tar');
    // In one call, so that shared layers are written once.
    await engine.mustRun(['save', '-o', file, ...images]);
    const tar = readFileSync(file);
    const manifest = JSON.parse(memberOf(tar, 'manifest.json').toString()) as {
      RepoTags: [string];
      Layers: string[];
    }[];
    return new Map(
      manifest.map(({ RepoTags: [image], Layers: all }) => [
        image,
        all.slice(below).reduce((sum, name) => sum + compressed(memberOf(tar, name)).length, 0),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const compressed = (layer: Buffer): Buffer =>
  gzipSync(layer[0] === 0x1f && layer[1] === 0x8b ? gunzipSync(layer) : layer);

/** Reads a file from a tar archive. */
function memberOf(tar: Buffer, wanted: string): Buffer {
  for (let at = 0; at + 512 <= tar.length;) {
    const name = tar.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8) || 0;
    if (name === wanted) return tar.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error(`${wanted} is not in the image`);
}
