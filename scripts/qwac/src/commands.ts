import { defineCommand, type Group } from '@kontoport/command';
import { IMPORT_OPTIONS, INSPECT_OPTIONS, MINT_OPTIONS, REVOKE_OPTIONS, VERIFY_OPTIONS } from './options.ts';

const inspect = defineCommand({
  summary: 'explains a certificate in plain language',
  about: `Explains the certificate in FILE (PEM or DER): what it is, whose, which roles it states, what is wrong with it as a
PSD2 website certificate, and what to ask the issuer for. Whether it is trusted is said by verify.

FILE is a file, - for the standard input, or https://host[:port] for what a server presents.

Exit status: 0 nothing wrong, 1 something wrong, 2 unreadable input or wrong usage.`,
  options: INSPECT_OPTIONS,
  jsonOfError: { sound: null },
  operands: [{ name: 'FILE' }],
  run: async (call) => (await import('./inspect.ts')).inspect(call),
});

const verify = defineCommand({
  summary: 'gives the verdict on a certificate, as the services do',
  about: `Gives the verdict on the certificate in FILE (PEM or DER; the leaf first, its chain after it),
with the checks that failed or warn. Nobody is asked whether it is revoked; --crl holds it against a list.

FILE is a file, - for the standard input, or https://host[:port] for what a server presents.

Exit status: 0 accepted, 1 refused, 2 unreadable input or wrong usage.`,
  options: VERIFY_OPTIONS,
  jsonOfError: { accepted: null },
  operands: [{ name: 'FILE' }],
  run: async (call) => (await import('./verify.ts')).verify(call),
});

const mint = defineCommand({
  summary: 'mints a QWAC of the local sandbox',
  about: 'Mints a QWAC of the local sandbox, for your own experiments.',
  options: MINT_OPTIONS,
  notes: `The chain holds the leaf and the sandbox's issuing CA; the key is not encrypted
and readable only by you.
The sandbox CA is made by the first npm start.`,
  run: async (call) => (await import('./mint-command.ts')).mintCommand(call),
});

const revoke = defineCommand({
  summary: 'revokes a QWAC of the local sandbox, for good',
  about: `Revokes the certificate in FILE (PEM or DER; the first one in it), which a CA of the local sandbox has issued.
Within 10 seconds the OCSP responder's answer is known at every door: 401 CERTIFICATE_REVOKED.

Exit status: 0 revoked, now or before; 1 it is not of this sandbox; 2 unreadable input or wrong usage.`,
  options: REVOKE_OPTIONS,
  operands: [{ name: 'FILE' }],
  notes: `Nothing takes a revocation back: mint a new certificate. It outlives the stack, up to npm start -- --reset.`,
  run: async (call) => (await import('./revoke-command.ts')).revokeCommand(call),
});

const importTrustedList = defineCommand({
  summary: 'makes trust anchors of an EU trusted list',
  about: `Imports the issuers of website certificates from an EU trusted list (ETSI TS 119 612), whose signature it verifies:
one PEM file for each service that is granted, of type CA/QC and for website authentication.

Exit status: 0 imported, 1 list refused, 2 unreadable input or wrong usage.`,
  options: IMPORT_OPTIONS,
  run: async (call) => (await import('./import-trusted-list.ts')).importTrustedList(call),
});

/** `kontoport qwac …`: certificates of third party providers. */
export const qwacCommands: Group = {
  summary: 'certificates of third party providers',
  commands: { inspect, verify, mint, revoke, 'import-trusted-list': importTrustedList },
};
