// npm run images: builds the images of the services and runs them, as CI does, and once more from nothing. The last line is "N passed, N failed".
import { runTests } from './jest.ts';

// With CI set, parts that this machine lacks are failures instead of skipped tests.
process.env.CI = 'true';
process.env.IMAGES_FROM_NOTHING = 'true';
const { passed, failed } = await runTests(['docker', '--testPathPatterns', 'images.test']);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
