/** An answer over HTTP that was read to its end. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON object of the body; empty where the body is none. */
  body: Record<string, unknown>;
}

/** Sends a request and reads the answer; a `body` that is no text is sent as JSON. */
export async function ask(
  method: string,
  url: string,
  options: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<Answer> {
  const { headers = {}, body } = options;
  const sent =
    body === undefined
      ? { headers }
      : typeof body === 'string'
        ? { headers, body }
        : { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
  const response = await fetch(url, { method, ...sent });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}
