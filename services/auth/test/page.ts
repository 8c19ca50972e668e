import type { Visit } from './browser.ts';

/** A form of a page: its action, its hidden fields and its choices. */
export interface PageForm {
  action: string;
  fields: Record<string, string>;
  /** Names and values of checkboxes, radio buttons and buttons, in the order of the page. */
  choices: { name: string; value: string; checked: boolean }[];
}

/** Returns the forms of a page, by the last part of their action. */
export function formsOf({ text }: Visit): Record<string, PageForm> {
  const forms = [...text.matchAll(/<form method="post" action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/g)];
  return Object.fromEntries(
    forms.map(([, action = '', content = '']) => {
      const inputs = [
        ...content.matchAll(
          /<input\s+type="(hidden|radio|checkbox)"\s+name="([^"]+)"\s+value="([^"]+)"\s*(checked)?/g,
        ),
      ];
      const hidden = inputs.filter(([, type]) => type === 'hidden');
      const chosen = inputs.filter(([, type]) => type !== 'hidden');
      return [
        action.slice(action.lastIndexOf('/') + 1),
        {
          action,
          fields: Object.fromEntries(hidden.map(([, , name, value]) => [name!, value!])),
          choices: chosen.map(([, , name, value, checked]) => ({
            name: name!,
            value: value!,
            checked: checked !== undefined,
          })),
        },
      ];
    }),
  );
}

/** Returns the heading of a page. */
export function headingOf({ text }: Visit): string | undefined {
  return /<h1>(.*?)<\/h1>/.exec(text)?.[1];
}

/** Returns the address to which a page redirects by itself. */
export function onwardsOf({ headers }: Visit): URL {
  return new URL(/^0;url=(.+)$/.exec(headers.get('refresh') ?? '')?.[1] ?? 'about:blank');
}

/** Expects the security headers that every page has. */
export function expectGuarded({ headers }: Visit): void {
  const policy = headers.get('content-security-policy');
  for (const part of [
    "default-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ])
    expect(policy).toContain(part);
  expect(policy).not.toContain('unsafe');
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-store',
    'content-type': 'text/html; charset=utf-8',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  });
}

/** Returns the rows of each card of a page, by term. */
export function cardsOf({ text }: Visit): Record<string, string>[] {
  const plain = (html: string): string =>
    html
      .replaceAll(/<\/?span[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
  return [...text.matchAll(/<section class="card">([\s\S]*?)<\/section>/g)].map(([, card = '']) => {
    const rows = [...card.matchAll(/<dt>([\s\S]*?)<\/dt>\s*<dd>([\s\S]*?)<\/dd>/g)];
    const [, heading = ''] = /<h2>([\s\S]*?)<\/h2>/.exec(card) ?? [];
    return Object.fromEntries([
      ['', plain(heading)],
      ...rows.map(([, term = '', words = '']) => [plain(term), plain(words)]),
    ]);
  });
}
