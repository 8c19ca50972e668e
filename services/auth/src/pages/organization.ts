import type { Language } from '@kontoport/errors';
import { html, type Html } from '@kontoport/pages';
import { bidiIsolate } from './bidi-isolate.ts';
import { PAGE_TEXTS } from './texts.ts';

/** `PSD`, country, authority and number of a payment service provider (ETSI TS 119 495, 5.2.1). */
const AUTHORIZED = /^PSD([A-Z]{2}-[A-Z]{2,8})-./;

/** Renders the authority and the id in a client's certificate; nothing for a client that this replica does not know. */
export function organizationLine(options: {
  language: Language;
  client: string;
  organizationIdentifier: string | undefined;
}): Html | undefined {
  const { language, client, organizationIdentifier } = options;
  if (organizationIdentifier === undefined) return undefined;
  const identifier = bidiIsolate(organizationIdentifier);
  const [, authority] = AUTHORIZED.exec(organizationIdentifier) ?? [];
  const text =
    authority === undefined
      ? PAGE_TEXTS('organization', { client, identifier })
      : PAGE_TEXTS('organization-authorized', { client, authority, identifier });
  return html`<p class="soft">${text.in(language)}</p>`;
}
