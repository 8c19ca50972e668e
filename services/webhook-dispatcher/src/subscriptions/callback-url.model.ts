import { isIP } from 'node:net';
import { type EgressRule, isAllowedAddress } from '@kontoport/egress';
import type { Text } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

const MAX_CALLBACK_URL_LENGTH = 2_048;

/** Names that only a local network knows; anything else is judged when it is resolved. */
const LOCAL_NAME = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/;

/**
 * What is wrong with a callback URL; nothing when it is acceptable: https and a public host,
 * or also http and loopback where the rule allows it. A name is not resolved here: that happens, guarded,
 * at each connection.
 */
export function callbackUrlFault(text: string, rule: EgressRule): Text | undefined {
  if (text.length > MAX_CALLBACK_URL_LENGTH) return TEXTS('url-too-long', { most: MAX_CALLBACK_URL_LENGTH });
  if (!/^[\x21-\x7e]+$/.test(text)) return TEXTS('url-characters');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return TEXTS('not-url');
  if (url.protocol !== 'https:' && !(rule.allowLoopback && url.protocol === 'http:'))
    return TEXTS(rule.allowLoopback ? 'url-http-or-https' : 'url-https');
  if (url.username !== '' || url.password !== '') return TEXTS('url-user');
  if (text.includes('#')) return TEXTS('url-fragment');
  return isPublicHost(url.hostname, rule) ? undefined : TEXTS('url-not-public');
}

function isPublicHost(hostname: string, rule: EgressRule): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return isAllowedAddress(host, rule);
  if (rule.allowLoopback && /(^|\.)localhost$/.test(host)) return true;
  return host.includes('.') && !LOCAL_NAME.test(host);
}
