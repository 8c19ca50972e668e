/** Whether a caller wants RFC 9457 rather than plain JSON; where it likes both as much, it gets plain JSON (§7). */
export function prefersProblem(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const weights = new Map(accept.toLowerCase().split(',').map(readRange));
  const problem = weights.get('application/problem+json') ?? 0;
  if (problem === 0) return false;
  const json = weights.get('application/json');
  // A wildcard is no wish of its own.
  const rest = weights.get('application/*') ?? weights.get('*/*') ?? 0;
  return json === undefined ? problem >= rest : problem > json;
}

/** Whether a caller would rather read a page than JSON, as browsers say they do. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const weights = new Map(accept.toLowerCase().split(',').map(readRange));
  return (weights.get('text/html') ?? 0) > (weights.get('application/json') ?? 0);
}

/** A range, of media or languages, and its weight, 0 to 1 (RFC 9110 §12.5.1). */
export function readRange(text: string): [range: string, weight: number] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return [range, weight >= 0 && weight <= 1 ? weight : 0];
}
