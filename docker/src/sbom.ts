import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import type { Package } from './packages.ts';

const licenseOf = new Contrib.License.Factories.LicenseFactory((text) => {
  if (!/ (OR|AND) /.test(text)) throw new Error(`${text} is not a valid SPDX expression`);
});

function componentOf({ name: full, version, license }: Package): Models.Component {
  const [, group, name] = /^(?:(@[^/]+)\/)?(.+)$/.exec(full)!;
  const purl = `pkg:npm/${full.replace('@', '%40')}@${version}`;
  return new Models.Component(Enums.ComponentType.Library, name!, {
    bomRef: purl,
    ...(group === undefined ? {} : { group }),
    version,
    licenses: new Models.LicenseRepository([licenseOf.makeFromString(license)]),
    purl,
  });
}

/**
 * The bill of materials of an image above its base, CycloneDX 1.6: the packages that esbuild bundled, and those copied beside it.
 * It contains no time and no data of the machine, so the same sources have the same one.
 */
export function billOfMaterials(options: {
  service: string;
  version: string;
  packages: readonly Package[];
}): string {
  const { service, version, packages } = options;
  const components = packages.map(componentOf);
  const component = new Models.Component(Enums.ComponentType.Application, service, {
    bomRef: `kontoport/${service}@${version}`,
    group: 'kontoport',
    version,
    licenses: new Models.LicenseRepository([licenseOf.makeSpdxLicense('Apache-2.0')]),
    dependencies: new Models.BomRefRepository(components.map(({ bomRef }) => bomRef)),
  });
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component }),
    components: new Models.ComponentRepository(components),
  });
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

/** The texts of all licences, which must accompany the code; ours comes first. */
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
