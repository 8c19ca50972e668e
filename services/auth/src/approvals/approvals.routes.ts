import type { Route } from '@kontoport/gate';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import { TOKEN_FIELD } from '../pages/form.ts';
import { exampleToken, exampleUser, identificationRoutes } from '../user-session/identification.routes.ts';
import { identifiedQuery, shortField, userPage } from '../user-session/user-pages.ts';
import { answerApproval } from './answer-approval.ts';
import { approvalErrorPage, approvalUnknown } from './approval-error-page.ts';
import { type ApprovalPages, openApproval, questionOf } from './open-approval.ts';
import { showApproval } from './show-approval.ts';
import { APPROVAL_TEXTS as TEXTS } from './texts.ts';

const answerForm = z.strictObject({ [TOKEN_FIELD]: shortField, user: uuid, digest: shortField });

const path = '/approvals/:approvalId';

const common = {
  clause: '§4.4',
  errors: approvalErrorPage,
  params: z.object({ approvalId: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/) }),
  unknown: approvalUnknown,
} as const;

/** The pages of an authUrl, for the user's browser (§4.4). */
export function approvalRoutes(deps: ApprovalPages): Route[] {
  return [
    userPage(deps, {
      ...common,
      clause: ['§4.4', '§Sandbox'],
      method: 'GET',
      path,
      summary: 'Open the approval of payments',
      description:
        'Identifies the user, unless the user is logged in. The page then shows the client, the paying account, the payee and ' +
        'the amount. In the sandbox most users answer without the page, and the browser continues to the redirectUrl.',
      query: z.object({
        ...identifiedQuery,
        answered: z.literal('yes').optional().meta({ description: 'The user has answered and waits.' }),
      }),
      answers: {
        200: { description: 'The page.', html: true },
        303: {
          description: "Redirect to the redirectUrl if no user must approve, or to the bank's login.",
          redirect: true,
        },
      },
      handler: (context, { params: { approvalId }, query: { answered } }) =>
        showApproval(deps, context, { approvalId, isAnswered: answered === 'yes' }),
    }),
    ...identificationRoutes(deps, {
      path,
      common,
      summaries: {
        ask: 'Choose the user of an approval',
        choose: 'Set the user of an approval',
        login: "Return from the bank's login to an approval",
      },
      question: async (context, { params }) => questionOf(context, await openApproval(deps, context, params)),
      notLoggedIn: () => TEXTS('not-logged-in'),
    }),
    answerRoute(deps, 'approve', 'Approve the payments'),
    answerRoute(deps, 'decline', 'Decline the payments'),
  ];
}

function answerRoute(deps: ApprovalPages, decision: 'approve' | 'decline', summary: string): Route {
  return userPage(deps, {
    ...common,
    method: 'POST',
    path: `${path}/${decision}`,
    summary,
    description: 'The first answer is final. A later one gets the outcome of the first.',
    body: {
      form: answerForm,
      example: { [TOKEN_FIELD]: exampleToken, user: exampleUser, digest: exampleToken },
    },
    // The digest, too: the answer is for the payments that the user saw.
    covered: ['user', 'digest'],
    answers: {
      200: {
        description: 'The page that leads back to the redirectUrl.',
        html: true,
        headers: {
          Refresh:
            'Leads back at once. It is no redirect, because the Content-Security-Policy rejects one after a form.',
        },
      },
      303: { description: 'Redirect to the page that waits for the bank.', redirect: true },
    },
    refusals: ['STATUS_INVALID'],
    handler: (context, { params: { approvalId }, body: { user, digest } }) =>
      answerApproval(deps, context, { approvalId, userId: user, decision, digest }),
  });
}
