import { html } from '@kontoport/pages';
import { type Call, jsonOf, Refused, type Session } from '@kontoport/profile';
import type { Screen } from './screen.ts';
import { table, time } from './table.ts';

interface Client {
  name: string;
  clientId: string;
  roles: string[];
  redirectUris: string[];
  certificateChains: { certificates: Certificate[] }[];
}

interface Certificate {
  subject: string;
  issuer: string;
  serialNumber: string;
  notBefore: string;
  notAfter: string;
}

/** Shows the client and the certificates with which it may call (GET /tpp/{clientId}). */
export async function clientPage(session: Session): Promise<Screen> {
  const { registrationUrl } = session.stack;
  const call: Call = { method: 'GET', url: `${registrationUrl}/tpp/${session.profile.clientId}` };
  const answer = await session.send(call);
  if (answer.status >= 400) throw new Refused(call, answer);
  const { name, clientId, roles, redirectUris, certificateChains } = jsonOf(answer) as unknown as Client;
  const leaves = certificateChains.flatMap(({ certificates: [leaf] }) => (leaf === undefined ? [] : [leaf]));
  return {
    title: name,
    body: html`<dl>
        <dt>Client id</dt>
        <dd><code>${clientId}</code></dd>
        <dt>Roles</dt>
        <dd>${roles.join(', ')}</dd>
        <dt>Redirect URIs</dt>
        <dd>${redirectUris.join(', ')}</dd>
      </dl>
      <h2>Certificates</h2>
      ${table(
        ['Subject', 'Issuer', 'Serial number', 'Verdict', 'Valid until'],
        leaves.map((leaf) => [
          leaf.subject,
          leaf.issuer,
          html`<code>${leaf.serialNumber}</code>`,
          verdictOn(leaf),
          time(leaf.notAfter),
        ]),
        'The client has no certificate.',
      )}
      <p class="soft">
        Each call is judged anew, revocation included: <a href="/requests">Requests</a> shows the verdicts.
      </p>`,
  };
}

function verdictOn({ notBefore, notAfter }: Certificate): string {
  const now = Date.now();
  if (now < Date.parse(notBefore)) return 'not valid yet';
  return now > Date.parse(notAfter) ? 'expired' : 'accepted when it was added';
}
