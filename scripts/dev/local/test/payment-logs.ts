import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type LogLine = Record<string, unknown> & { msg: string; service: string };

/** Reads the lines that the services of a stack have logged. */
export function readLogs(data: string): LogLine[] {
  const folder = join(data, 'logs');
  return readdirSync(folder)
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);
}

/** Tests that one search finds the log of a payment. @param read the log after a tour */
export function describePaymentLogs(title: string, read: () => LogLine[]): void {
  describe(`the log of a payment, ${title}`, () => {
    let lines: LogLine[];
    beforeAll(() => {
      lines = read();
    });

    it('has a trace id in every line of a request, an rpc, a posting and a delivery', () => {
      const messages = [
        'request',
        'rpc',
        'payment posting',
        'delivery attempted',
        'token issued',
        'client registered',
      ];
      const belonging = lines.filter(({ msg }) => messages.includes(msg));
      expect(new Set(belonging.map(({ msg }) => msg))).toEqual(new Set(messages));
      expect(belonging.filter(({ traceId }) => !/^[0-9a-f]{32}$/.test(String(traceId)))).toEqual([]);
    });

    it('has one id from the approval to the webhook, across the services and the broker', () => {
      const { traceId } = lines.find(({ route }) => String(route).endsWith('/payments/drafts/approve'))!;
      const found = lines
        .filter(
          (line) => line.traceId === traceId || (line.traceIds as unknown[] | undefined)?.includes(traceId),
        )
        .map(({ service, msg }) => `${service}: ${msg}`);
      expect(new Set(found)).toEqual(
        new Set([
          'payments: request',
          'payments: payment posting',
          'account-information: rpc',
          'webhook-dispatcher: events recorded',
          'webhook-dispatcher: delivery attempted',
        ]),
      );
    });
  });
}
