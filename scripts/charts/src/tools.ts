// The tools that the chart is tested with. They come from Go modules (tools/go.mod, tools/go.sum) and are kept in the
// user's cache, by what they are made of: a clone of the repository finds what another one built.
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const SOURCES = join(import.meta.dirname, '../tools');

/** Modules that only data is taken from: resources that others define. The sum is that of the module's zip. */
export const CRD_MODULES = [
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    files: ['monitoring.coreos.com_servicemonitors.yaml', 'monitoring.coreos.com_prometheusrules.yaml'].map(
      (file) => `example/prometheus-operator-crd/${file}`,
    ),
  },
  {
    module: 'github.com/cert-manager/cert-manager@v1.21.2',
    files: ['deploy/crds/cert-manager.io_certificates.yaml', 'deploy/crds/cert-manager.io_issuers.yaml'],
  },
  {
    module: 'github.com/external-secrets/external-secrets@v1.3.2',
    files: ['config/crds/bases/external-secrets.io_externalsecrets.yaml'],
  },
  { module: 'github.com/kedacore/keda/v2@v2.21.0', files: ['config/crd/bases/keda.sh_scaledobjects.yaml'] },
  {
    module: 'sigs.k8s.io/gateway-api@v1.6.3',
    files: ['gateways', 'httproutes', 'backendtlspolicies'].map(
      (name) => `config/crd/standard/gateway.networking.k8s.io_${name}.yaml`,
    ),
  },
  {
    module: 'github.com/envoyproxy/gateway@v1.9.1',
    files: ['clienttrafficpolicies', 'httproutefilters'].map(
      (name) => `charts/gateway-helm/charts/crds/crds/generated/gateway.envoyproxy.io_${name}.yaml`,
    ),
  },
] as const;

/** Reads the version of a module, such as Kubernetes or Helm, from go.mod. */
export function versionOf(module: string): string {
  const found = new RegExp(`^\\s*(?:require )?${module} (v\\S+)`, 'm').exec(
    readFileSync(join(SOURCES, 'go.mod'), 'utf8'),
  );
  if (found === null) throw new Error(`tools/go.mod names no ${module}`);
  return found[1]!;
}

/** The folder of the tools, built or not. */
export function toolsFolder(): string {
  const made = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) made.update(readFileSync(join(SOURCES, file)));
  for (const file of ['tools.ts', 'build-tools.ts'])
    made.update(readFileSync(join(import.meta.dirname, file)));
  return join(cacheFolder(), 'chart-tools', made.digest('hex').slice(0, 16));
}

/** Returns the missing requirement of the chart's tests; undefined when nothing is missing. */
export function missingTools(): string | undefined {
  // It is written last.
  return existsSync(join(toolsFolder(), 'complete'))
    ? undefined
    : 'the tools of the chart are not built: npm run chart:tools (needs Go 1.26, and about ten minutes once)';
}

/** The user's cache, or where there is no home to have one, the folder of what is local to this clone. */
function cacheFolder(): string {
  if (process.env.XDG_CACHE_HOME) return join(process.env.XDG_CACHE_HOME, 'kontoport');
  try {
    accessSync(homedir(), constants.W_OK);
    return join(homedir(), '.cache/kontoport');
  } catch {
    return join(import.meta.dirname, '../../../.local');
  }
}
