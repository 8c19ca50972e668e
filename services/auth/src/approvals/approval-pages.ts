import type { Language } from '@kontoport/errors';
import type { ApprovalContent, ApprovalPayment, ApprovalStanding } from '@kontoport/proto/payments/v1';
import { writtenAccountNumber } from '../accounts/account-number.model.ts';
import { CONSENT_TEXTS } from '../consents/texts.ts';
import { writtenAmount } from '../pages/amount.ts';
import { writtenDate, writtenTime } from '../pages/date.ts';
import { form } from '../pages/form.ts';
import { html, type Html } from '../pages/html.ts';
import type { Page } from '../pages/layout.ts';
import { APPROVAL_TEXTS as TEXTS } from './texts.ts';

/** A form of one button: where it goes and its hidden fields. */
export interface AnswerForm {
  action: string;
  fields: Readonly<Record<string, string>>;
}

/** Where the user says yes or no: who asks, from which account, to whom, how much (§4.4). */
export function approvalPage(options: {
  language: Language;
  client: string;
  user: string;
  /** Where they say that they are somebody else. */
  otherUser: string;
  content: ApprovalContent;
  expiresAt: Date;
  approve: AnswerForm;
  decline: AnswerForm;
}): Page {
  const { language, user, otherUser, content, expiresAt, approve, decline } = options;
  const words = (key: 'approve' | 'decline'): string => TEXTS(key).in(language);
  const until = TEXTS('answer-until', { time: writtenTime(expiresAt, language) }).in(language);
  return {
    language,
    title: titleOf(options),
    body: html`<p>
        ${CONSENT_TEXTS('signed-in', { user }).in(language)}
        <a href="${otherUser}">${CONSENT_TEXTS('other-user').in(language)}</a>
      </p>
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

/** One payment: how much and to whom stand in front. */
function paymentCard(payment: ApprovalPayment, language: Language): Html {
  const { senderBban, senderOwnerName, payeeName, payeeNumber, reference } = payment;
  const amount = { value: payment.amount?.value ?? '', currency: payment.amount?.currency ?? '' };
  const { currency } = amount;
  const written = (bban: string): string => writtenAccountNumber({ bban, iban: '', currency });
  const type = numberType(payment);
  const number = type === 'BBAN' ? written(payeeNumber) : payeeNumber;
  return html`<section class="card">
    <h2>${writtenAmount(amount, language)}</h2>
    <dl>
      ${row(TEXTS('to').in(language), payeeName)} ${row(TEXTS(`number-${type}`).in(language), '', number)}
      ${row(TEXTS('reference').in(language), reference)} ${whenRows(payment, language)}
      ${row(TEXTS('from').in(language), senderOwnerName, written(senderBban))}
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
  const date = (day: string): string => writtenDate(day, language);
  if (schedule !== undefined) {
    const { startDate, endDate, frequency } = schedule;
    const known = FREQUENCIES.find((each) => each === frequency);
    const end = endDate === '' ? TEXTS('no-end').in(language) : date(endDate);
    return html`${row(TEXTS('how-often').in(language), known ? TEXTS(known).in(language) : frequency)}
    ${row(TEXTS('first').in(language), date(startDate))} ${row(TEXTS('last').in(language), end)}`;
  }
  return executionDate === '' ? undefined : row(TEXTS('day').in(language), date(executionDate));
}

/** A term, the words for it, and a number, which is never broken. */
function row(term: string, words: string, number?: string): Html {
  const unbroken = number === undefined ? undefined : html`<span class="number">${number}</span>`;
  return html`<dt>${term}</dt>
    <dd>${words} ${unbroken}</dd>`;
}

/** What leaves in all, where that is not what the one payment says. */
function sumsOf({ payments, sums }: ApprovalContent, language: Language): Html | undefined {
  if (payments.length < 2) return undefined;
  return html`<h2>${TEXTS('in-all').in(language)}</h2>
    <ul class="sums">
      ${sums.map((sum) => html`<li><strong>${writtenAmount(sum, language)}</strong></li>`)}
    </ul>`;
}

const LOOK_AGAIN_SECONDS = 3;

/** While the bank asks its user; the page looks by itself how that stands. */
export function waitingPage(options: {
  language: Language;
  client: string;
  /** This page. */
  path: string;
  /** Where the bank asks in a browser; empty: in its app alone. */
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
    againAfter: LOOK_AGAIN_SECONDS,
  };
}

/**
 * How it ended, and the way back to whoever asked.
 * @param options.leaving the browser goes back by itself; a form may not be answered with a redirect that leads away
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

/** For whoever came back from the bank's login as nobody. */
export function notLoggedInPage({ language, again }: { language: Language; again: string }): Page {
  return {
    language,
    title: CONSENT_TEXTS('not-logged-in-title').in(language),
    body: html`<p>${TEXTS('not-logged-in').in(language)}</p>
      <div class="buttons">
        <a class="button chief" href="${again}">${CONSENT_TEXTS('log-in-again').in(language)}</a>
      </div>`,
  };
}
