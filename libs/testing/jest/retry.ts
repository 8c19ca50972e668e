import { jest } from '@jest/globals';

// In CI a test that fails runs once more at the end of its file; on a desk the first failure counts.
if (process.env.CI) jest.retryTimes(1, { logErrorsBeforeRetry: true });
