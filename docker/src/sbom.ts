import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Package } from './packages.ts';

const purl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/**
 * The bill of materials of an image above its base, CycloneDX 1.6: what esbuild says it took, and what was copied beside it.
 * Nothing in it tells of the time or the machine, so that the same sources have the same.
 */
export function billOfMaterials(options: {
  service: string;
  version: string;
  packages: readonly Package[];
}): string {
  const { service, version, packages } = options;
  const own = `kontoport/${service}@${version}`;
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own,
        group: 'kontoport',
        name: service,
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components: packages.map((one) => {
      const [, group, name] = /^(?:(@[^/]+)\/)?(.+)$/.exec(one.name)!;
      const ref = purl(one.name, one.version);
      return {
        type: 'library',
        'bom-ref': ref,
        ...(group === undefined ? {} : { group }),
        name,
        version: one.version,
        licenses: [
          / (OR|AND) /.test(one.license) ? { expression: one.license } : { license: { id: one.license } },
        ],
        purl: ref,
      };
    }),
    dependencies: [{ ref: own, dependsOn: packages.map(({ name, version: of }) => purl(name, of)) }],
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

/** The texts of all licences, which have to go with the code: ours first. */
export function licences({ root, packages }: { root: string; packages: readonly Package[] }): string {
  const texts = packages.map(({ name, version, license, folder }) => {
    const files = readdirSync(folder, { withFileTypes: true }).filter(
      (entry) => entry.isFile() && /^(LICEN[CS]E|COPYING|NOTICE)/i.test(entry.name),
    );
    const text = files
      .map((file) => file.name)
      .toSorted()
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...text].join('\n\n');
  });
  const own = readFileSync(join(root, 'LICENSE'), 'utf8').trim();
  return `${[own, ...texts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
