import type { Language } from '@kontoport/errors';

/** Each in itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  da: 'Dansk',
  sv: 'Svenska',
  nb: 'Norsk (bokmål)',
};

/** What stands above the codes, with a link to the clause of the contract. */
export const ERRORS_INTRODUCTIONS: Readonly<Record<Language, (clause: string) => string>> = {
  en: (
    clause,
  ) => `Every errorCode of the interface (${clause}): a closed list, on which callers may switch; the message is for people,
in English, after the sentence of the code in another language that \`X-Language\` asks for. Every address serves this list at \`/errors\`, and each code at its own path, to which the \`type\` of a problem
leads. The path is relative to the address that was called: a reference that works in every environment, with no host name that
could be another's one day (RFC 9457 §3.1.1).`,
  da: (
    clause,
  ) => `Alle grænsefladens fejlkoder (${clause}): en lukket liste, som et program kan forgrene sig efter; meddelelsen er til
mennesker: kodens sætning på deres sprog (\`X-Language\`), derefter det særlige på engelsk. Hver adresse viser denne liste på \`/errors\` og hver kode på sin egen sti, som \`type\`
i et svar efter RFC 9457 fører til. Stien er relativ til den adresse, der blev kaldt: en henvisning, der virker i alle miljøer og
ikke nævner et værtsnavn, som en dag kan være en andens.`,
  sv: (
    clause,
  ) => `Alla felkoder i gränssnittet (${clause}): en sluten lista som ett program kan förgrena sig efter; meddelandet är till för
människor: kodens mening på deras språk (\`X-Language\`), därefter det särskilda på engelska. Varje adress visar listan på \`/errors\` och varje kod på en egen sökväg, dit \`type\` i
ett svar enligt RFC 9457 leder. Sökvägen är relativ till adressen som anropades: en hänvisning som fungerar i alla miljöer och
inte nämner något värdnamn som en dag kan vara någon annans.`,
  nb: (
    clause,
  ) => `Alle feilkodene i grensesnittet (${clause}): en lukket liste som et program kan forgrene seg etter; meldingen er for
mennesker: kodens setning på deres språk (\`X-Language\`), deretter det spesielle på engelsk. Hver adresse viser denne listen på \`/errors\` og hver kode på sin egen sti, som \`type\`
i et svar etter RFC 9457 fører til. Stien er relativ til adressen som ble kalt: en henvisning som virker i alle miljøer og ikke
nevner et vertsnavn som en dag kan være en annens.`,
};
