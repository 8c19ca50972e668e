import { join } from 'node:path';
import type { Engine } from './engine.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The name of a service's image. */
export const imageOf = (service: string, version: string): string => `kontoport/${service}:${version}`;

/**
 * Builds the image of a service (docs/operations/images.md).
 * @param options.more further arguments of `docker build`
 * @returns its id
 */
export async function buildImage(
  engine: Engine,
  options: { service: string; version: string; base: string; more?: readonly string[] },
): Promise<string> {
  const { service, version, base, more = [] } = options;
  const given = {
    BASE_IMAGE: base,
    SERVICE: service,
    VERSION: version,
    REVISION: 'r1',
    SOURCE_DATE_EPOCH: '0',
  };
  const args = Object.entries(given).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  const [file, tag] = [join(ROOT, 'docker/Dockerfile'), imageOf(service, version)];
  // An engine started here has no bridge network.
  await engine.mustRun(
    ['build', '--quiet', '--network=host', '-f', file, ...args, ...more, '-t', tag, ROOT],
    {
      DOCKER_BUILDKIT: '1',
    },
  );
  return (await engine.mustRun(['image', 'inspect', '--format', '{{.Id}}', tag])).trim();
}
