import { type Call, jsonOf, type Transport } from './http.ts';
import { type Profile, writeProfile } from './profile.ts';
import { Refused } from './refusal.ts';
import type { Stack } from './stack.ts';

/** The value of the Authorization header with the client's own credentials (client_secret_basic, §4.1). */
export function basic({ clientId, clientSecret }: Pick<Profile, 'clientId' | 'clientSecret'>): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
}

/** Gets an access token for the client, and keeps it in the profile. @throws Refused */
export async function renewToken(options: {
  stack: Stack;
  transport: Transport;
  folder: string;
  profile: Profile;
}): Promise<{ profile: Profile; accessToken: string }> {
  const { stack, transport, folder, profile } = options;
  const call: Call = {
    method: 'POST',
    url: `${stack.authUrl}/oauth2/token`,
    headers: {
      authorization: basic(profile),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  };
  const answer = await transport.send(call);
  if (answer.status !== 200) throw new Refused(call, answer);
  const { access_token: accessToken, expires_in: seconds } = jsonOf(answer) as {
    access_token: string;
    expires_in: number;
  };
  const renewed = { ...profile, tokenEnds: Date.now() + seconds * 1_000 };
  await writeProfile(folder, renewed, accessToken);
  return { profile: renewed, accessToken };
}
