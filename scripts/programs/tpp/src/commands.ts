// The commands of a TPP developer: a client of a running stack, and its calls.
import { CliCommand, exits, Option, repeated } from '@kontoport/command';
import type { ProfileOptions } from '@kontoport/profile';
import type { CallOptions } from './call.ts';
import type { ClockOptions } from './clock.ts';
import type { ListenOptions } from './listen.ts';
import type { LoginOptions } from './login.ts';
import type { RequestsOptions } from './requests.ts';
import type { TriggerOptions } from './trigger.ts';

const profile = new Option('--profile <NAME>', 'name of the profile (default: default)');
const stack = new Option('--stack <FILE>', 'stack.json of the stack (default: .local/stack.json)');
const json = new Option('--json', 'print one JSON object');

const login = new CliCommand('login')
  .summary('registers a client and gets its access token')
  .description(
    `Mints a QWAC, registers a client with it, gets an access token, and keeps all of them in a profile, which the other commands use. A second login renews the token.

A certificate of your own takes the place of the minted one with --cert and --key. The options for name, organization, roles and redirect URIs count for a new client only.`,
  )
  .addOption(profile)
  .option('--name <TEXT>', 'legal name of the provider', 'Example TPP')
  .option('--organization <ID>', 'organizationIdentifier of the minted QWAC', 'PSDDK-DFSA-12345678')
  .option('--roles <LIST>', 'of PSP_AI, PSP_PI', 'PSP_AI,PSP_PI')
  .option(
    '--redirect-uri <URI>',
    'redirect URI; may be repeated (default: https://tpp.example/callback)',
    repeated,
  )
  .option('--cert <FILE>', 'PEM file of your certificate and its issuers, leaf first')
  .option('--key <FILE>', 'PEM file of its private key')
  .addOption(stack)
  .addOption(json)
  .addHelpText('after', "\nExample: npx kontoport login --name 'My TPP'")
  .action(exits(async (options: LoginOptions) => (await import('./login.ts')).login(options)));

const call = new CliCommand('call', { status: null })
  .summary('calls an operation of the bank')
  .description(
    `Calls an operation over mutual TLS, with the certificate and the access token of the profile. The path chooses the address. The answer goes to the standard output; status, request id and the cure of a refusal go to the standard error. A token that ends is renewed.

Exit status: 0 done, 1 an answer of 400 or more, 2 unreadable input or wrong usage.`,
  )
  .argument('<METHOD>')
  .argument('<PATH>')
  .option('--data <JSON>', 'body of the request; @FILE reads a file, @- the standard input')
  .option('--header <LINE>', 'header of the request, "Name: value"; may be repeated', repeated)
  .addOption(profile)
  .addOption(stack)
  .addOption(json)
  .addHelpText(
    'after',
    `
Example: npx kontoport call GET /accounts
         npx kontoport call POST /sandbox/clock --data '{"advance":"P3D"}'`,
  )
  .action(
    exits(async (method: string, path: string, options: CallOptions) =>
      (await import('./call.ts')).call(method, path, options),
    ),
  );

const listen = new CliCommand('listen')
  .summary('receives webhooks, verifies and forwards them')
  .description(
    `Receives webhooks on this machine until Ctrl-C: creates a subscription, verifies the signature of each webhook, prints a line for each, and deletes the subscription at the end. It keeps receiving when the stack restarts.

With --forward it sends the unchanged bytes and headers to your receiver, and gives the bank your receiver's status.`,
  )
  .option('--forward <URL>', 'your receiver, such as http://localhost:3000/webhooks')
  .option('--events <LIST>', 'event types, separated by commas (default: all)')
  .option('--port <N>', 'loopback port; 0 is any free one', '8447')
  .addOption(profile)
  .addOption(stack)
  .option('--json', 'print a JSON object for each webhook, in one line')
  .addHelpText('after', '\nExample: npx kontoport listen --forward http://localhost:3000/webhooks')
  .action(exits(async (options: ListenOptions) => (await import('./listen.ts')).listen(options)));

const trigger = new CliCommand('trigger', { status: null })
  .summary('makes the sandbox post, decline or fail')
  .description(
    `Makes the sandbox do something: post a transaction, decline a payment, answer 503. It sends the request that has this effect, and prints the answer. Without a name it lists the triggers.

Exit status: 0 done, 1 an answer of 400 or more, 2 unreadable input or wrong usage.`,
  )
  .argument('[NAME]')
  .option('--list', 'list the triggers')
  .option('--account <ID>', 'simulated account (default: the first in DKK that can pay)')
  .option('--data <JSON>', 'fields that replace those of the trigger; @FILE reads a file')
  .addOption(profile)
  .addOption(stack)
  .addOption(json)
  .addHelpText(
    'after',
    `
Example: npx kontoport trigger --list
         npx kontoport trigger payment-declined
         npx kontoport trigger posting --data '{"amount":-12.5}'`,
  )
  .action(
    exits(async (name: string | undefined, options: TriggerOptions) =>
      (await import('./trigger.ts')).trigger(name, options),
    ),
  );

const clock = new CliCommand('clock')
  .summary('shows and advances the clock of the simulated bank')
  .description(
    'Shows the clock of the simulated bank of your organization, and advances it: authorizations end, payments are booked, consents expire. It never goes back.',
  )
  .option('--advance <TIME>', 'such as 10min, 36h, 3d, 3mo, 1y, or ISO 8601')
  .addOption(profile)
  .addOption(stack)
  .addOption(json)
  .addHelpText('after', '\nExample: npx kontoport clock --advance 3mo')
  .action(exits(async (options: ClockOptions) => (await import('./clock.ts')).clock(options)));

const env = new CliCommand('env')
  .summary('prints addresses and files for a shell')
  .description(
    `Prints export lines for a shell: BASE_URL, REGISTRATION_URL, AUTH_URL, USER_URL and SERVER_CA; with a profile also CLIENT_CERT, CLIENT_KEY, CLIENT_ID, TOKEN_FILE and TOKEN. It renews a token that ends.`,
  )
  .addOption(profile)
  .addOption(stack)
  .addHelpText('after', '\nExample: npx kontoport login && eval "$(npx kontoport env)"')
  .action(exits(async (options: ProfileOptions) => (await import('./env.ts')).env(options)));

const requests = new CliCommand('requests')
  .summary('shows the last requests of the organization')
  .description(
    `Shows the request log of the sandbox: the last requests of all clients of the profile's organization at all addresses, the newest one last. A refused request has the check that refused and its cure.`,
  )
  .option('--follow', 'print new requests until Ctrl-C')
  .option('--status <STATUS>', 'only requests with this status, such as 401, or of this class, such as 4xx')
  .option('--client <ID>', 'only requests of this client')
  .option('--id <REQUESTID>', 'only requests with this X-Request-Id')
  .option('--limit <N>', 'number of requests to begin with, 1 to 100 (default: 50)')
  .addOption(profile)
  .addOption(stack)
  .option('--json', 'print a JSON object for each request, in one line')
  .addHelpText('after', '\nExample: npx kontoport requests --status 4xx --follow')
  .action(exits(async (options: RequestsOptions) => (await import('./requests.ts')).requests(options)));

const reset = new CliCommand('reset')
  .summary('makes the simulated bank start over')
  .description(
    'Makes the simulated bank of your organization start over: accounts, balances, transactions and clock are those of the first day. Ids stay the same.',
  )
  .addOption(profile)
  .addOption(stack)
  .addHelpText('after', '\nExample: npx kontoport sandbox reset')
  .action(exits(async (options: ProfileOptions) => (await import('./reset.ts')).reset(options)));

const sandbox = new CliCommand('sandbox')
  .description('controls the simulated bank of your organization')
  .addHelpText('after', '\nExample: npx kontoport sandbox reset')
  .addCommand(reset);

/** The commands of a TPP developer, in the order of their first use. */
export const tppCommands: readonly CliCommand[] = [
  login,
  call,
  requests,
  listen,
  trigger,
  clock,
  sandbox,
  env,
];
