import { ApiError } from '@kontoport/errors';
import { LEDGER_TEXTS } from './texts.ts';

/** Turns an overflow of int64 (minor units) into a refusal. @throws ApiError FORMAT_ERROR */
export async function withinRange<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    // numeric_value_out_of_range
    if ((error as { code?: unknown }).code !== '22003') throw error;
    throw new ApiError('FORMAT_ERROR', LEDGER_TEXTS('out-of-range'));
  }
}
