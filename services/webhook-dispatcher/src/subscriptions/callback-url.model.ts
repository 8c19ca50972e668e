import { isIP } from 'node:net';
import { type EgressRule, isAllowedAddress } from '@kontoport/egress';

export const MAX_CALLBACK_URL_LENGTH = 2_048;

/** Names that only a local network knows; anything else is judged when it is resolved. */
const LOCAL_NAME = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/;

/**
 * What is wrong with a callback URL, in words for the TPP; nothing when it is acceptable: https and a public host,
 * or also http and loopback where the rule allows it. A name is not resolved here: that happens, guarded,
 * at each connection.
 */
export function callbackUrlFault(text: string, rule: EgressRule): string | undefined {
  if (text.length > MAX_CALLBACK_URL_LENGTH) return `is longer than ${MAX_CALLBACK_URL_LENGTH} characters`;
  if (!/^[\x21-\x7e]+$/.test(text)) return 'must be printable ASCII; percent-encode the rest';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'is not a URL';
  if (url.protocol !== 'https:' && !(rule.allowLoopback && url.protocol === 'http:'))
    return rule.allowLoopback ? 'must be an http or https URL' : 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (text.includes('#')) return 'must not contain a fragment';
  return isPublicHost(url.hostname, rule) ? undefined : 'must lead to a public host';
}

function isPublicHost(hostname: string, rule: EgressRule): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return isAllowedAddress(host, rule);
  if (rule.allowLoopback && /(^|\.)localhost$/.test(host)) return true;
  return host.includes('.') && !LOCAL_NAME.test(host);
}
