import { randomUUID } from 'node:crypto';
import { auditedOf } from '@kontoport/testing/audited';
import { consentScene, inDays, refused } from './consent-scene.ts';
import { type Running, startAccountInformation } from './running.ts';

let running: Running;
beforeAll(async () => {
  running = await startAccountInformation();
});
afterAll(() => running.close());

describe('the audit log of consents (§5.9, §6)', () => {
  it('has one record of a new consent and one of its end, also for repeated and concurrent calls', async () => {
    const { clientId, userId, ask } = await consentScene(running);
    const asked = ask();
    const [{ consent }] = (await Promise.all([
      running.createConsent(asked),
      running.createConsent(asked),
    ])) as [Awaited<ReturnType<Running['createConsent']>>, unknown];
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => running.revokeConsent(asked.consentId, userId)),
    );
    await running.revokeConsent(asked.consentId, userId);
    await running.createConsent(asked);

    const about = {
      eventId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      clientId,
      userId,
      objectId: asked.consentId,
      relatedIds: consent!.accountIds,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    };
    const audited = await auditedOf(running, asked.consentId);
    expect(audited.map(({ value }) => value)).toEqual([
      { ...about, action: 'CONSENT_GIVEN', actor: 'USER', eventTime: consent!.grantedAt!.toISOString() },
      {
        ...about,
        action: 'CONSENT_REVOKED',
        actor: 'USER',
        eventTime: answers[0]!.consent!.revokedAt!.toISOString(),
      },
    ]);
    for (const { record, value } of audited) {
      expect(record.key?.toString()).toBe(asked.consentId);
      expect(record.headers).toMatchObject({
        ce_id: value.eventId,
        ce_type: 'Audit.RecordedV1',
        ce_source: 'urn:kontoport:account-information',
        ce_time: value.eventTime,
      });
      expect(record.headers.traceparent).toContain(value.traceId);
    }
  });

  it('has no record of a refused call', async () => {
    const { userId, ask } = await consentScene(running);
    const [late, foreign] = [ask({ validUntil: inDays(181) }), ask({ accountIds: [randomUUID()] })];
    await expect(running.createConsent(late)).rejects.toMatchObject(refused('FORMAT_ERROR'));
    await expect(running.createConsent(foreign)).rejects.toMatchObject(refused('RESOURCE_UNKNOWN'));
    await expect(running.revokeConsent(late.consentId, userId)).rejects.toMatchObject(
      refused('RESOURCE_UNKNOWN'),
    );
    expect(await auditedOf(running, late.consentId, foreign.consentId)).toEqual([]);
  });

  it('is written with the consent: without the record there is no consent', async () => {
    const { clientId, ask } = await consentScene(running);
    const asked = ask();
    await withoutRecordOf(asked.consentId, () => running.createConsent(asked));
    await expect(running.getConsent(asked.consentId, clientId)).rejects.toMatchObject(
      refused('RESOURCE_UNKNOWN'),
    );
    await running.createConsent(asked);
    const audited = await auditedOf(running, asked.consentId);
    expect(audited.map(({ value }) => value.action)).toEqual(['CONSENT_GIVEN']);
  });
});

/** Expects an attempt to be UNAVAILABLE while the outbox rejects records of the consent. */
async function withoutRecordOf(consentId: string, attempt: () => Promise<unknown>): Promise<void> {
  await running.pool.query(
    `ALTER TABLE outbox ADD CONSTRAINT nothing_of_this_consent CHECK (key <> '${consentId}') NOT VALID`,
  );
  try {
    await expect(attempt()).rejects.toMatchObject(refused('UNAVAILABLE'));
  } finally {
    await running.pool.query('ALTER TABLE outbox DROP CONSTRAINT nothing_of_this_consent');
  }
}
