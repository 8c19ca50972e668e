import { join } from 'node:path';
import { runTraced } from '@kontoport/testing/traced-process';

const NAME = 'grpc.kontoport.payments.v1.ApprovalsService/GetBasket';
const [SERVER, CLIENT] = [2, 3];

describe('a call between the services', () => {
  it('is a span on either side, with the code of a refusal and without its text', async () => {
    const { spans, sent } = await runTraced(join(import.meta.dirname, 'fixtures/traced-calls.ts'));
    expect(spans.map(({ name }) => name)).toEqual([NAME, NAME, NAME, NAME]);
    const clients = spans.filter(({ kind }) => kind === CLIENT);
    const answered = clients.map((asked) =>
      spans.find((span) => span.kind === SERVER && span.parentSpanId === asked.spanId),
    );
    expect(answered.map((span) => span?.attributes['kontoport.error_code'])).toEqual([
      undefined,
      'FUNDS_INSUFFICIENT',
    ]);
    expect(clients.map(({ attributes }) => attributes['rpc.grpc.status_code'])).toEqual([0, 9]);
    expect(sent).not.toContain('hidden');
  });
});
