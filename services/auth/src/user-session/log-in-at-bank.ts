import { createHmac } from 'node:crypto';
import type { Language } from '@kontoport/errors';
import type { BankLogin, BankUser } from './user-authentication.ts';

/** Longer codes are none (kontoport.bank.v1). */
export const LONGEST_LOGIN_CODE = 4_096;

/** What somebody logs in for, in the browser that has this key. */
export interface LoginPurpose {
  browserKey: string;
  /** Such as a request and its id: a login is good for nothing else. */
  about: readonly string[];
}

/**
 * Where a browser goes to log its user in at the bank; it comes back to `returnPath`, with `code` or `error`.
 * @throws ApiError UNAVAILABLE
 */
export function startLogin(
  { login, userUrl }: { login: BankLogin; userUrl: string },
  options: LoginPurpose & {
    returnPath: string;
    /** Display name of the client; empty where the user comes on their own. */
    client: string;
    language: Language;
    loginHint?: string | undefined;
    signal: AbortSignal;
  },
): Promise<string> {
  const { returnPath, client: clientName, language, loginHint = '', signal } = options;
  const returnUrl = userUrl + returnPath;
  return login.start({ loginId: loginIdOf(options), returnUrl, clientName, language, loginHint }, signal);
}

/** Who has logged in, in this browser and for this purpose; undefined for whatever else a code may be. @throws ApiError UNAVAILABLE */
export async function completeLogin(
  { login }: { login: BankLogin },
  options: LoginPurpose & { code: string; signal: AbortSignal },
): Promise<BankUser | undefined> {
  const { code, signal } = options;
  return login.complete({ loginId: loginIdOf(options), code }, signal);
}

/** Follows from the browser's secret: a code that was made for another browser, or for something else, is of another login. */
function loginIdOf({ browserKey, about }: LoginPurpose): string {
  return createHmac('sha256', browserKey)
    .update(JSON.stringify(['login', ...about]))
    .digest('base64url');
}
