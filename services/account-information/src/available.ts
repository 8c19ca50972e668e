import { isUnavailable } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';

/** The result of database work; a database that cannot answer now is an ApiError UNAVAILABLE (503). */
export async function available<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new ApiError('UNAVAILABLE', 'Accounts cannot be reached at the moment; repeat the request later.', {
      cause: error,
    });
  }
}
