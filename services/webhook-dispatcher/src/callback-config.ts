import { crossFieldCheck, flag, list, type RawEnv, reloadableSecret } from '@kontoport/config';
import { type ForwardProxy, isPrivateRange, readRange } from '@kontoport/egress';
import { isLoopback } from '@kontoport/internal-tls';
import type { Logger } from '@kontoport/lifecycle';
import { z } from 'zod';

const ranges = list
  .refine((texts) => texts.every(isRange), 'blocks of addresses such as 10.20.0.0/16, separated by commas')
  .transform((texts) => texts.map(readRange));

/** The variables for the addresses of callbacks, and for the way to them (§2.11, §6). */
export const callbackConfig = {
  /** `true` allows http and loopback callbacks, for a sandbox on one machine. */
  CALLBACK_LOOPBACK: flag.prefault('false'),
  /** Private address blocks to which callbacks are allowed, separated by commas. */
  CALLBACK_ALLOW: ranges
    .refine(
      (given) => given.every(isPrivateRange),
      'only private blocks can be opened; the rest is open or never is',
    )
    .optional(),
  /** Address blocks, public ones included, to which callbacks are denied, separated by commas. */
  CALLBACK_DENY: ranges.optional(),
  /** `address:port` of the name servers for callbacks, separated by commas. Without it the machine's are used. */
  NAME_SERVERS: list.optional(),
  /** `http://host:port` or `https://host:port` of a forward proxy for all callbacks. */
  CALLBACK_PROXY: crossFieldCheck(
    z.string().refine(isProxy, 'http://host:port or https://host:port').optional(),
    proxyFaults,
  ),
  /** User name for the proxy (Basic authentication). */
  CALLBACK_PROXY_USERNAME: z
    .string()
    .regex(/^[^:]+$/, 'a name without a colon')
    .max(1_000)
    .optional(),
  /** Password for the proxy. */
  CALLBACK_PROXY_PASSWORD: reloadableSecret(z.string().min(1).max(1_000)).optional(),
};

type CallbackConfig = z.output<z.ZodObject<typeof callbackConfig>>;

/** Opens the configured proxy; logs when it does not work. */
export function callbackProxy(config: CallbackConfig, logger: Logger): ForwardProxy | undefined {
  const {
    CALLBACK_PROXY: url,
    CALLBACK_PROXY_USERNAME: username,
    CALLBACK_PROXY_PASSWORD: password,
  } = config;
  if (url === undefined) return undefined;
  const report = (fault: string): void => logger.error({ fault }, 'callbacks cannot be reached');
  const keep = (fault: string): void =>
    logger.error({ fault }, 'proxy password not reloaded, the previous one stays in use');
  return {
    url,
    report,
    credentials:
      username === undefined || password === undefined
        ? undefined
        : () => ({ username, password: password(keep) }),
  };
}

function isRange(text: string): boolean {
  try {
    readRange(text);
    return true;
  } catch {
    return false;
  }
}

/** Without path, query and credentials, which would be ignored. */
function isProxy(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}

function proxyFaults(given: RawEnv): string[] {
  const { ENVIRONMENT, CALLBACK_LOOPBACK, CALLBACK_PROXY: proxy, CALLBACK_PROXY_USERNAME: username } = given;
  // A file that cannot be read is a fault of its own.
  const password = given.CALLBACK_PROXY_PASSWORD ?? given.CALLBACK_PROXY_PASSWORD_FILE;
  if ((username === undefined) !== (password === undefined))
    return ['CALLBACK_PROXY_USERNAME: it goes with CALLBACK_PROXY_PASSWORD'];
  if (proxy === undefined)
    return username === undefined ? [] : ['CALLBACK_PROXY_USERNAME: given without CALLBACK_PROXY'];
  if (!isProxy(proxy) || isLoopback(new URL(proxy).hostname)) return [];
  return [
    // The proxy would reach its own loopback address.
    ...(CALLBACK_LOOPBACK === 'true'
      ? ['CALLBACK_PROXY: on another machine it does not go with CALLBACK_LOOPBACK']
      : []),
    ...(ENVIRONMENT === 'production' && username !== undefined && !proxy.startsWith('https:')
      ? ['CALLBACK_PROXY: https; in production credentials are sent over TLS only']
      : []),
  ];
}
