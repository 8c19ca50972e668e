import { CliCommand, exits, Option, repeated } from '@kontoport/command';
import type { ImportOptions } from './import-trusted-list.ts';
import type { InspectOptions } from './inspect.ts';
import type { MintOptions } from './mint-command.ts';
import type { RevokeOptions } from './revoke-command.ts';
import type { VerifyOptions } from './verify.ts';

const SOURCE = 'FILE is a file, - for the standard input, or https://host[:port] for what a server presents.';

const at = new Option('--at <TIME>', 'the moment to judge by, ISO 8601 (default: now)');
const all = new Option('--all', 'every check, also those that say nothing new');
const json = new Option('--json', 'one JSON object instead of text');
const data = new Option('--data <FOLDER>', 'data folder of the local stack (default: .local)');

const inspect = new CliCommand('inspect', { sound: null })
  .summary('explains a certificate in plain language')
  .description(
    `Explains the certificate in FILE (PEM or DER): what it is, whose, which roles it states, what is wrong with it as a PSD2 website certificate, and what to ask the issuer for. Whether it is trusted is said by verify.

${SOURCE}

Exit status: 0 nothing wrong, 1 something wrong, 2 unreadable input or wrong usage.`,
  )
  .argument('<FILE>')
  .addOption(all)
  .addOption(json)
  .action(
    exits(async (file: string, options: InspectOptions) =>
      (await import('./inspect.ts')).inspect(file, options),
    ),
  );

const verify = new CliCommand('verify', { accepted: null })
  .summary('gives the verdict on a certificate, as the services do')
  .description(
    `Gives the verdict on the certificate in FILE (PEM or DER; the leaf first, its chain after it), with the checks that failed or warn. A certificate of the local sandbox is checked against what the sandbox has revoked, any other against the lists of --crl alone.

${SOURCE}

Exit status: 0 accepted, 1 refused, 2 unreadable input or wrong usage.`,
  )
  .argument('<FILE>')
  .option(
    '--anchors <FILE|FOLDER>',
    'trusted roots or issuing CAs; may be repeated (default: those of the local stack)',
    repeated,
  )
  .option(
    '--intermediates <FILE>',
    'further CA certificates to build the path with; may be repeated',
    repeated,
  )
  .addOption(at)
  .addOption(
    new Option('--profile <P>', 'path and QWAC rules, RFC 5280 alone, or QWAC rules alone')
      .choices(['psd2', 'path', 'leaf'])
      .default('psd2'),
  )
  .option('--max-depth <N>', 'intermediate CAs allowed in the path')
  .addOption(
    new Option('--purpose <P>', 'what the leaf must be good for, if it has an extKeyUsage').choices([
      'serverAuth',
      'clientAuth',
    ]),
  )
  .option('--crl <FILE>', 'revocation list to hold the path against; may be repeated', repeated)
  .addOption(data)
  .addOption(all)
  .addOption(json)
  .action(
    exits(async (file: string, options: VerifyOptions) =>
      (await import('./verify.ts')).verify(file, options),
    ),
  );

const mint = new CliCommand('mint')
  .summary('mints a QWAC of the local sandbox')
  .description('Mints a QWAC of the local sandbox, for your own experiments.')
  .option('--name <TEXT>', 'legal name of the provider', 'Example TPP')
  .option('--organization <ID>', 'organizationIdentifier', 'PSDDK-DFSA-12345678')
  .option('--roles <LIST>', 'of PSP_AS, PSP_PI, PSP_AI, PSP_IC', 'PSP_AI,PSP_PI')
  .option('--days <N>', 'validity, at most 825', '90')
  .option('--dns <NAME>', 'host name in the certificate (default: from the name)')
  .option('--out <FOLDER>', 'where key and chains are written (default: .local/qwac/<name>[-<fault>])')
  .option(
    '--csr <FILE>',
    'a certificate request (PKCS #10): your key instead of a new one; what it asks for is set aside',
  )
  .option('--p12', 'also key and chain in one PKCS #12 file, store.p12')
  .option('--password <TEXT>', 'of the PKCS #12 file (default: kontoport)')
  .addOption(data)
  .option('--fault <NAME>', 'a certificate with this one fault, which must be refused or warned about')
  .option('--list-faults', 'all faults, and the check of each')
  .addHelpText(
    'after',
    `
chain.pem (leaf and issuing CA) is for TLS: curl --cert. full-chain.pem (with the
root) is for POST /tpp/{clientId}/certificates. key.pem is not encrypted, and only
you can read it.
The sandbox CA is made by the first npm start.`,
  )
  .action(exits(async (options: MintOptions) => (await import('./mint-command.ts')).mintCommand(options)));

const revoke = new CliCommand('revoke')
  .summary('revokes a QWAC of the local sandbox, for good')
  .description(
    `Revokes the certificate in FILE (PEM or DER; the first one in it), which a CA of the local sandbox has issued. Within 10 seconds the OCSP responder's answer is known at every door: 401 CERTIFICATE_REVOKED.

Exit status: 0 revoked, now or before; 1 it is not of this sandbox; 2 unreadable input or wrong usage.`,
  )
  .argument('<FILE>')
  .addOption(
    new Option('--reason <WORD>', 'why, as the OCSP answer and the list will say')
      .choices([
        'unspecified',
        'keyCompromise',
        'affiliationChanged',
        'superseded',
        'cessationOfOperation',
        'privilegeWithdrawn',
      ])
      .default('unspecified'),
  )
  .addOption(data)
  .addHelpText(
    'after',
    `
Nothing takes a revocation back: mint a new certificate. It outlives the stack,
up to npm start -- --reset.`,
  )
  .action(
    exits(async (file: string, options: RevokeOptions) =>
      (await import('./revoke-command.ts')).revokeCommand(file, options),
    ),
  );

const importTrustedList = new CliCommand('import-trusted-list')
  .summary('makes trust anchors of an EU trusted list')
  .description(
    `Imports the issuers of website certificates from an EU trusted list (ETSI TS 119 612), whose signature it verifies: one PEM file for each service that is granted, of type CA/QC and for website authentication.

Exit status: 0 imported, 1 list refused, 2 unreadable input or wrong usage.`,
  )
  .requiredOption('--list <FILE>', 'the trusted list of a member state, XML')
  .requiredOption(
    '--signer <FILE>',
    'the certificate (PEM or DER) that must have signed it, as the EU list of lists names it',
  )
  .requiredOption('--out <FOLDER>', 'trust-anchor folder')
  .addOption(at)
  .action(
    exits(async (options: ImportOptions) =>
      (await import('./import-trusted-list.ts')).importTrustedList(options),
    ),
  );

/** `kontoport qwac …`: certificates of third party providers. */
export const qwacCommands = new CliCommand('qwac')
  .description('certificates of third party providers')
  .addCommand(inspect)
  .addCommand(verify)
  .addCommand(mint)
  .addCommand(revoke)
  .addCommand(importTrustedList);
