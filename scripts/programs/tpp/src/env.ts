import { inShell } from '@kontoport/command';
import {
  findProfile,
  openSession,
  profileFolder,
  type ProfileOptions,
  readStack,
  stackFile,
  tokenFile,
} from '@kontoport/profile';

/** Prints the addresses and files of a stack and profile as `export` lines for a shell. @returns the exit status */
export async function env(options: ProfileOptions): Promise<number> {
  const file = stackFile(options.stack);
  const stack = readStack(file);
  const folder = profileFolder(file, options.profile);
  const profile = findProfile(folder);
  const values: Record<string, string> = {
    BASE_URL: stack.baseUrl,
    REGISTRATION_URL: stack.registrationUrl,
    AUTH_URL: stack.authUrl,
    USER_URL: stack.userUrl,
    SERVER_CA: stack.serverCa,
    ...(profile && {
      CLIENT_CERT: profile.certificate,
      CLIENT_KEY: profile.key,
      CLIENT_ID: profile.clientId,
      TOKEN_FILE: tokenFile(folder),
    }),
  };
  for (const [name, value] of Object.entries(values)) console.log(`export ${name}=${inShell(value)}`);
  if (profile) {
    const session = openSession(options);
    await session.token().finally(() => void session.close());
    // The shell reads the file, so that the token is in no output.
    console.log('export TOKEN="$(cat "$TOKEN_FILE")"');
  }
  return 0;
}
