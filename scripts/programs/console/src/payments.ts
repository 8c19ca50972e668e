import { html, type Html } from '@kontoport/pages';
import type { Session } from '@kontoport/profile';
import type { Screen } from './screen.ts';
import { table, time } from './table.ts';

const TYPES = {
  'domestic-credit-transfer': 'Domestic credit transfers',
  'swedish-bank-giro': 'Swedish bank giros',
  'swedish-plus-giro': 'Swedish plus giros',
} as const;

interface Payment {
  paymentId: string;
  status: string;
  receiverName?: string;
  amount: string;
  currency: string;
  createdAt: string;
  rejection?: { errorCode: string; message: string };
}

const rowOf = (payment: Payment): (Html | string)[] => [
  time(payment.createdAt),
  payment.receiverName ?? '',
  html`<span class="number">${payment.amount} ${payment.currency}</span>`,
  html`<strong>${payment.status}</strong>
    ${payment.rejection && html`<br /><span class="soft">${payment.rejection.errorCode}: ${payment.rejection.message}</span>`}`,
  html`<code>${payment.paymentId}</code>`,
];

/** Shows the payments that the organization's clients initiated, with their states (§4). */
export async function paymentsPage(session: Session): Promise<Screen> {
  const head = ['Created', 'Receiver', 'Amount', 'State', 'Id'];
  const lists = await Promise.all(
    Object.entries(TYPES).map(async ([path, title]) => {
      const { payments } = await session.ask('GET', `/payments/${path}?limit=50`);
      return html`<h2>${title}</h2>
        ${table(head, (payments as Payment[]).map(rowOf), 'None.')}`;
    }),
  );
  const { standingOrders } = await session.ask('GET', '/payments/standing-orders');
  return {
    title: 'Payments',
    body: html`${lists}
      <h2>Standing orders</h2>
      ${table(head, (standingOrders as Payment[]).map(rowOf), 'None.')}
      <p class="soft">
        Drafts and baskets are in no list of the interface: <code>GET /payments/drafts/…/{draftId}</code> and
        <code>GET /payments/drafts/approve/{requestId}/status</code> show them.
      </p>`,
  };
}
