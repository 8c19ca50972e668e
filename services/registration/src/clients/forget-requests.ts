import { type Logger, Loop } from '@kontoport/runtime';
import type { Db } from '../db.ts';
import { deleteRequests } from './client.repository.ts';
import { REQUEST_RETENTION_DAYS } from './registration-request.model.ts';

const HOUR_MS = 3_600_000;

/** Forgets request ids of registrations once an hour, when their retention is over; until then a retry is recognised. */
export function forgetRequests({ db, logger }: { db: Db; logger: Logger }): Loop {
  return new Loop({
    name: 'request retention',
    everyMs: HOUR_MS,
    retryMs: { first: 1_000, longest: HOUR_MS },
    logger,
    work: () => deleteRequests(db, new Date(Date.now() - REQUEST_RETENTION_DAYS * 24 * HOUR_MS)),
  });
}
