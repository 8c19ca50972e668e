import { readFileSync } from 'node:fs';
import { type Answer, type Call, jsonOf, openTransport, type TlsIdentity } from './http.ts';
import { type Profile, profileFolder, requireProfile, tokenFile } from './profile.ts';
import { Refused } from './refusal.ts';
import { readStack, type Stack, stackFile } from './stack.ts';
import { renewToken } from './token.ts';

/** A token that ends within this time is renewed first. */
const SPARE_MS = 30_000;

/** The options that choose a profile. */
export interface ProfileOptions {
  /** stack.json; default: that of the local stack. */
  stack?: string;
  /** Name of the profile. */
  profile?: string;
}

/** The calls of a profile's client. */
export interface Session {
  readonly stack: Stack;
  readonly profile: Profile;
  /** Folder of the profile. */
  readonly folder: string;
  /** Calls with certificate and access token. Renews a token that ends, or that the bank rejects. */
  send(call: Call): Promise<Answer>;
  /** Calls the base address and returns the JSON of its answer. @throws Refused */
  ask(method: string, path: string, json?: unknown): Promise<Readonly<Record<string, unknown>>>;
  /** Returns the access token; renews it first if it ends soon. */
  token(): Promise<string>;
  close(): Promise<void>;
}

/** Reads the files of a TLS identity. */
export function readIdentity(
  { serverCa }: Pick<Stack, 'serverCa'>,
  { certificate, key }: Pick<Profile, 'certificate' | 'key'>,
): TlsIdentity {
  return { ca: readFileSync(serverCa), cert: readFileSync(certificate), key: readFileSync(key) };
}

/** Opens a profile. @throws InputError without a stack or profile */
export function openSession(options: ProfileOptions): Session {
  const file = stackFile(options.stack);
  const stack = readStack(file);
  const folder = profileFolder(file, options.profile);
  let profile = requireProfile(folder);
  const transport = openTransport(readIdentity(stack, profile));

  async function renew(): Promise<string> {
    try {
      const renewed = await renewToken({ stack, transport, folder, profile });
      profile = renewed.profile;
      return renewed.accessToken;
    } catch (error) {
      if (error instanceof Refused && error.status === 401)
        throw new Error(`${error.message}\nnpx kontoport login registers a new client.`, { cause: error });
      throw error;
    }
  }
  async function token(): Promise<string> {
    return profile.tokenEnds - Date.now() < SPARE_MS ? renew() : readFileSync(tokenFile(folder), 'utf8');
  }
  async function send(call: Call): Promise<Answer> {
    const sendWith = (accessToken: string): Promise<Answer> =>
      transport.send({ ...call, headers: { authorization: `Bearer ${accessToken}`, ...call.headers } });
    const answer = await sendWith(await token());
    const isRejected = answer.status === 401 && String(jsonOf(answer).errorCode).startsWith('TOKEN_');
    return isRejected && call.headers?.authorization === undefined ? sendWith(await renew()) : answer;
  }
  return {
    stack,
    folder,
    get profile() {
      return profile;
    },
    send,
    async ask(method, path, json) {
      const call: Call = {
        method,
        url: stack.baseUrl + path,
        ...(json !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(json),
        }),
      };
      const answer = await send(call);
      if (answer.status >= 400) throw new Refused(call, answer);
      return jsonOf(answer);
    },
    token,
    close: () => transport.close(),
  };
}
