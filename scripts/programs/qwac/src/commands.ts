import { CliCommand, exits, Option, repeated } from '@kontoport/command';
import type { ImportOptions } from './import-trusted-list.ts';
import type { InspectOptions } from './inspect.ts';
import type { MintOptions } from './mint-command.ts';
import type { RevokeOptions } from './revoke-command.ts';
import type { VerifyOptions } from './verify.ts';

const SOURCE =
  'FILE is a file, - for the standard input, or https://host[:port] for the chain that a server presents.';

const at = new Option('--at <TIME>', 'time of the check, ISO 8601 (default: now)');
const all = new Option('--all', 'print every check, also the passed ones');
const json = new Option('--json', 'print one JSON object');
const data = new Option('--data <FOLDER>', 'data folder of the local stack (default: .local)');

const inspect = new CliCommand('inspect', { sound: null })
  .summary('explains a certificate in plain language')
  .description(
    `Explains the certificate in FILE (PEM or DER): what it is, whose, which roles it states, what is wrong with it as a PSD2 website certificate, and what to ask the issuer for. verify decides whether it is trusted.

${SOURCE}

Exit status: 0 nothing wrong, 1 something wrong, 2 unreadable input or wrong usage.`,
  )
  .argument('<FILE>')
  .addOption(all)
  .addOption(json)
  .addHelpText('after', '\nExample: npx kontoport qwac inspect https://tpp.example')
  .action(
    exits(async (file: string, options: InspectOptions) =>
      (await import('./inspect.ts')).inspect(file, options),
    ),
  );

const verify = new CliCommand('verify', { accepted: null })
  .summary('accepts or refuses a certificate, as the services do')
  .description(
    `Accepts or refuses the certificate in FILE (PEM or DER; the leaf first, then its chain), and prints the checks that failed or warn. It reads the revocations of the local sandbox for a certificate of the sandbox; for any other certificate only the lists of --crl.

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
    new Option('--purpose <P>', 'purpose that an extKeyUsage of the leaf must allow').choices([
      'serverAuth',
      'clientAuth',
    ]),
  )
  .option('--crl <FILE>', 'revocation list of an issuer in the path; may be repeated', repeated)
  .addOption(data)
  .addOption(all)
  .addOption(json)
  .addHelpText('after', '\nExample: npx kontoport qwac verify .local/qwac/example-tpp/chain.pem')
  .action(
    exits(async (file: string, options: VerifyOptions) =>
      (await import('./verify.ts')).verify(file, options),
    ),
  );

const mint = new CliCommand('mint')
  .summary('mints a QWAC of the local sandbox')
  .description('Mints a QWAC of the local sandbox.')
  .option('--name <TEXT>', 'legal name of the provider', 'Example TPP')
  .option('--organization <ID>', 'organizationIdentifier', 'PSDDK-DFSA-12345678')
  .option('--roles <LIST>', 'of PSP_AS, PSP_PI, PSP_AI, PSP_IC', 'PSP_AI,PSP_PI')
  .option('--days <N>', 'validity, at most 825', '90')
  .option('--dns <NAME>', 'host name in the certificate (default: from the name)')
  .option('--out <FOLDER>', 'where key and chains are written (default: .local/qwac/<name>[-<fault>])')
  .option('--csr <FILE>', 'certificate request (PKCS #10) whose key to use; its other fields are ignored')
  .option('--p12', 'also write key and chain into store.p12 (PKCS #12)')
  .option('--password <TEXT>', 'of the PKCS #12 file (default: kontoport)')
  .addOption(data)
  .option('--fault <NAME>', 'make a certificate with this one fault')
  .option('--list-faults', 'list the faults, each with the check that finds it')
  .addHelpText(
    'after',
    `
Use chain.pem (leaf and issuing CA) for TLS: curl --cert. Send full-chain.pem
(with the root) to POST /tpp/{clientId}/certificates. key.pem is not encrypted;
only you can read it. The first npm start makes the sandbox CA.

Example: npx kontoport qwac mint --name 'My TPP' --roles PSP_AI`,
  )
  .action(exits(async (options: MintOptions) => (await import('./mint-command.ts')).mintCommand(options)));

const revoke = new CliCommand('revoke')
  .summary('revokes a QWAC of the local sandbox, for good')
  .description(
    `Revokes the certificate in FILE (PEM or DER; the first one in it), which a CA of the local sandbox has issued. Within 10 seconds all services answer 401 CERTIFICATE_REVOKED.

Exit status: 0 revoked, now or before; 1 it is not of this sandbox; 2 unreadable input or wrong usage.`,
  )
  .argument('<FILE>')
  .addOption(
    new Option('--reason <WORD>', 'reason in the OCSP response and the list')
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
A revocation is final: mint a new certificate. Only npm start -- --reset removes it.

Example: npx kontoport qwac revoke .local/qwac/example-tpp/chain.pem`,
  )
  .action(
    exits(async (file: string, options: RevokeOptions) =>
      (await import('./revoke-command.ts')).revokeCommand(file, options),
    ),
  );

const importTrustedList = new CliCommand('import-trusted-list')
  .summary('writes the trust anchors of an EU trusted list')
  .description(
    `Imports the issuers of website certificates from an EU trusted list (ETSI TS 119 612), after it verified the signature of the list. It writes one PEM file for each granted service of type CA/QC for website authentication.

Exit status: 0 imported, 1 list refused, 2 unreadable input or wrong usage.`,
  )
  .requiredOption('--list <FILE>', 'the trusted list of a member state, XML')
  .requiredOption('--signer <FILE>', 'certificate (PEM or DER) of the signer, from the EU list of lists')
  .requiredOption('--out <FOLDER>', 'trust-anchor folder')
  .addOption(at)
  .addHelpText(
    'after',
    `
Example: npx kontoport qwac import-trusted-list --list DK.xml \\
           --signer signer.pem --out anchors`,
  )
  .action(
    exits(async (options: ImportOptions) =>
      (await import('./import-trusted-list.ts')).importTrustedList(options),
    ),
  );

/** `kontoport qwac …`: certificates of third party providers. */
export const qwacCommands = new CliCommand('qwac')
  .description('inspects, verifies, mints and revokes certificates of TPPs')
  .addHelpText('after', '\nExample: npx kontoport qwac mint')
  .addCommand(inspect)
  .addCommand(verify)
  .addCommand(mint)
  .addCommand(revoke)
  .addCommand(importTrustedList);
