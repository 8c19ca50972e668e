// Options for the bundles of the images.
import { readFileSync } from 'node:fs';
import type { BuildOptions, Plugin } from 'esbuild';

/** Packages that are never loaded: the native driver, and the loader for gRPC's diagnostics. */
export const LEFT_OUT = ['@grpc/proto-loader', 'pg-cloudflare', 'pg-native'];

/** A source map of one line. */
const UNMAPPED = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(
  '{"version":3,"sources":[""],"mappings":"AAAA"}',
).toString('base64')}`;

/** Keeps source maps of our own sources only: those of packages and generated code would take 45 MB in each process. */
const ownSourceMaps: Plugin = {
  name: 'own source maps',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$|\/gen\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8') + UNMAPPED,
      loader: path.endsWith('.ts') ? 'ts' : 'js',
    })),
};

/** Options of esbuild: readable code for Node, split at dynamic imports, with maps of our own sources. */
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
  // CommonJS packages require Node's own modules.
  banner: {
    js: "import { createRequire as createOwnRequire } from 'node:module'; const require = createOwnRequire(import.meta.url);",
  },
  plugins: [ownSourceMaps],
} satisfies BuildOptions;
