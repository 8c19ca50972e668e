import { z } from 'zod';

const ANSWER_LIMIT_MS = 10_000;
const MAX_ANSWER_CHARACTERS = 64 * 1024;
/** The part of its lifetime after which a new token is fetched. */
const USED_FOR = 0.8;
/** The least lifetime left when it is used: a broker ends the session with it, and connections begin another before. */
const RESERVE_MS = 10_000;
const DEFAULT_LIFETIME_S = 300;

const answer = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive().default(DEFAULT_LIFETIME_S),
});

/** Client credentials of OAuth 2.0. */
export interface OauthClient {
  url: string;
  clientId: string;
  /** Asked for with each token. */
  clientSecret: () => string;
  scope?: string | undefined;
  /** Milliseconds of a clock that does not jump; for tests. */
  now?: () => number;
}

/**
 * Access tokens by client credentials (RFC 6749 §4.4). One is used for four fifths of its lifetime, and not in its last 10 s.
 * Concurrent callers wait for one request; after a failed one the next caller asks again.
 * @returns rejects when the endpoint gives none within 10 s; the error never contains the answer
 */
export function oauthTokens(client: OauthClient): () => Promise<string> {
  const now = client.now ?? (() => performance.now());
  let current: { token: Promise<string>; until: number } | undefined;
  return () => {
    if (current === undefined || now() >= current.until) current = fetchNext();
    return current.token;
  };

  function fetchNext(): { token: Promise<string>; until: number } {
    const asked = now();
    const next = { until: Number.POSITIVE_INFINITY, token: fetchToken(client).then(keep) };
    function keep({ access_token: token, expires_in: seconds }: z.output<typeof answer>): string {
      next.until = asked + Math.min(seconds * 1_000 * USED_FOR, seconds * 1_000 - RESERVE_MS);
      return token;
    }
    next.token.catch(() => {
      if (current === next) current = undefined;
    });
    return next;
  }
}

async function fetchToken(client: OauthClient): Promise<z.output<typeof answer>> {
  const { url, clientId, clientSecret, scope } = client;
  const credentials = `${encode(clientId)}:${encode(clientSecret())}`;
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    headers: {
      Authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/json',
    },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      ...(scope === undefined ? {} : { scope }),
    }).toString(),
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the token endpoint of Kafka answers ${response.status}`);
  }
  const parsed = answer.safeParse(parseJson(await readBounded(response)));
  if (!parsed.success) throw new Error('the token endpoint for Kafka returned no access token');
  return parsed.data;
}

/** RFC 6749 §2.3.1: form-urlencoded before it is put together. */
function encode(part: string): string {
  return new URLSearchParams({ p: part }).toString().slice(2);
}

async function readBounded(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER_CHARACTERS) throw new Error('the token endpoint of Kafka answers too much');
  }
  return text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
