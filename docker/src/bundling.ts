// How the bundles of the images are made.
import { readFileSync } from 'node:fs';
import type { BuildOptions, Plugin } from 'esbuild';

/** Never loaded: the native driver, and what gRPC reads its own diagnostics' definitions with. */
export const LEFT_OUT = ['@grpc/proto-loader', 'pg-cloudflare', 'pg-native'];

/** A module of which a source map tells its first line alone. */
const UNMAPPED = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(
  '{"version":3,"sources":[""],"mappings":"AAAA"}',
).toString('base64')}`;

/** Maps are of our own sources: those of packages and of generated code would be 45 MB in each process that reads them. */
const ownSourceMaps: Plugin = {
  name: 'own source maps',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$|\/gen\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8') + UNMAPPED,
      loader: path.endsWith('.ts') ? 'ts' : 'js',
    })),
};

/** How services are bundled: for Node, readable, split where the sources import dynamically, with maps of our own sources. */
export const BUNDLING = {
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  // Node's own modules are required by packages of the older kind.
  banner: {
    js: "import { createRequire as createOwnRequire } from 'node:module'; const require = createOwnRequire(import.meta.url);",
  },
  plugins: [ownSourceMaps],
} satisfies BuildOptions;
