import type { Language } from '@kontoport/errors';
import { html, type Html, type Page } from '@kontoport/pages';
import type { ApprovalContent, ApprovalPayment, ApprovalStanding } from '@kontoport/proto/payments/v1';
import { formatAccountNumber } from '../accounts/account-number.model.ts';
import { formatAmount } from '../pages/amount.ts';
import { formatDate, formatTime } from '../pages/date.ts';
import { form, type SignedForm } from '../pages/form.ts';
import { organizationLine } from '../pages/organization.ts';
import { signedInLine } from '../user-session/identification-pages.ts';
import { APPROVAL_TEXTS as TEXTS } from './texts.ts';

/** The page on which a user approves or declines. It shows the client, the debtor accounts, the payees and the amounts (§4.4). */
export function approvalPage(options: {
  language: Language;
  client: string;
  organizationIdentifier: string | undefined;
  user: string;
  /** This page. */
  path: string;
  content: ApprovalContent;
  expiresAt: Date;
  approve: SignedForm;
  decline: SignedForm;
}): Page {
  const { language, content, expiresAt, approve, decline } = options;
  const words = (key: 'approve' | 'decline'): string => TEXTS(key).in(language);
  const until = TEXTS('answer-until', { time: formatTime(expiresAt, language) }).in(language);
  return {
    language,
    title: titleOf(options),
    body: html`${organizationLine(options)} ${signedInLine(options)}
      ${content.payments.map((payment) => paymentCard(payment, language))} ${sumsOf(content, language)}
      <p class="soft">${until}</p>
      <div class="buttons">
        ${form({ ...approve, body: html`<button class="chief">${words('approve')}</button>` })}
        ${form({ ...decline, body: html`<button>${words('decline')}</button>` })}
      </div>`,
  };
}

function titleOf({ language, client, content }: Parameters<typeof approvalPage>[0]): string {
  const { payments } = content;
  if (payments.some(({ schedule }) => schedule !== undefined))
    return TEXTS('ask-standing-order', { client }).in(language);
  if (payments.length === 1) return TEXTS('ask-payment', { client }).in(language);
  return TEXTS('ask-payments', { client, count: payments.length }).in(language);
}

/** Renders one payment, with amount and payee first. */
function paymentCard(payment: ApprovalPayment, language: Language): Html {
  const { senderBban, senderOwnerName, payeeName, payeeNumber, reference } = payment;
  const amount = { value: payment.amount?.value ?? '', currency: payment.amount?.currency ?? '' };
  const { currency } = amount;
  const formatBban = (bban: string): string => formatAccountNumber({ bban, iban: '', currency });
  const type = numberType(payment);
  const number = type === 'BBAN' ? formatBban(payeeNumber) : payeeNumber;
  return html`<section class="card">
    <h2>${formatAmount(amount, language)}</h2>
    <dl>
      ${row(TEXTS('to').in(language), payeeName)} ${row(TEXTS(`number-${type}`).in(language), '', number)}
      ${row(TEXTS('reference').in(language), reference)} ${whenRows(payment, language)}
      ${row(TEXTS('from').in(language), senderOwnerName, formatBban(senderBban))}
    </dl>
    ${payment.warnings.map((warning) => html`<p class="soft">${warning[language]}</p>`)}
  </section>`;
}

function numberType({ payeeNumberType }: ApprovalPayment): 'BBAN' | 'BANKGIRO' | 'PLUSGIRO' {
  return payeeNumberType === 'BANKGIRO' || payeeNumberType === 'PLUSGIRO' ? payeeNumberType : 'BBAN';
}

const FREQUENCIES = [
  'Daily',
  'Weekly',
  'EveryTwoWeeks',
  'Monthly',
  'EveryTwoMonths',
  'Quarterly',
  'SemiAnnual',
  'Annual',
] as const;

function whenRows({ executionDate, schedule }: ApprovalPayment, language: Language): Html | undefined {
  const date = (day: string): string => formatDate(day, language);
  if (schedule !== undefined) {
    const { startDate, endDate, frequency } = schedule;
    const known = FREQUENCIES.find((each) => each === frequency);
    const end = endDate === '' ? TEXTS('no-end').in(language) : date(endDate);
    return html`${row(TEXTS('how-often').in(language), known ? TEXTS(known).in(language) : frequency)}
    ${row(TEXTS('first').in(language), date(startDate))} ${row(TEXTS('last').in(language), end)}`;
  }
  return executionDate === '' ? undefined : row(TEXTS('day').in(language), date(executionDate));
}

/** Renders a term and its words; `number` stays on one line. */
function row(term: string, words: string, number?: string): Html {
  const unbroken = number === undefined ? undefined : html`<span class="number">${number}</span>`;
  return html`<dt>${term}</dt>
    <dd>${words} ${unbroken}</dd>`;
}

/** Renders the sum for each currency of several payments. */
function sumsOf({ payments, sums }: ApprovalContent, language: Language): Html | undefined {
  if (payments.length < 2) return undefined;
  return html`<h2>${TEXTS('in-all').in(language)}</h2>
    <ul class="sums">
      ${sums.map((sum) => html`<li><strong>${formatAmount(sum, language)}</strong></li>`)}
    </ul>`;
}

const RELOAD_SECONDS = 3;

/** The page that a user sees while the bank asks for confirmation. It reloads itself. */
export function waitingPage(options: {
  language: Language;
  client: string;
  /** This page. */
  path: string;
  /** The page on which the bank asks in a browser; empty when it asks in its app. */
  approvalUrl: string;
}): Page {
  const { language, client, path, approvalUrl } = options;
  const atBank =
    approvalUrl === ''
      ? undefined
      : html`<a class="button chief" href="${approvalUrl}" target="_blank" rel="noopener noreferrer"
          >${TEXTS('at-bank').in(language)}</a
        >`;
  return {
    language,
    title: TEXTS('waiting-title').in(language),
    body: html`<p role="status">${TEXTS('waiting', { client }).in(language)}</p>
      <div class="buttons">
        ${atBank} <a class="button" href="${path}">${TEXTS('look-now').in(language)}</a>
      </div>`,
    reloadAfter: RELOAD_SECONDS,
  };
}

/**
 * The page that shows the result of an approval and leads back to the client.
 * @param options.leaving the browser returns without a click; a redirect as the answer to a form would violate `form-action`
 */
export function endedPage(options: {
  language: Language;
  client: string;
  standing: ApprovalStanding;
  leaving: boolean;
}): Page {
  const { language, client, standing, leaving } = options;
  const { status, returnUrl } = standing;
  const outcome = status === 'APPROVED' || status === 'EXPIRED' ? status : 'REJECTED';
  const onwards = new URL(returnUrl).href;
  return {
    language,
    title: TEXTS(`ended-${outcome}-title`).in(language),
    body: html`<p>${TEXTS(`ended-${outcome}`, { client }).in(language)}</p>
      <div class="buttons">
        <a class="button chief" href="${onwards}">${TEXTS('back-to', { client }).in(language)}</a>
      </div>`,
    ...(leaving && { onwards }),
  };
}
