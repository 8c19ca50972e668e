// npm run images: builds the images of the services and runs them, as CI does, and once more from nothing. The last line is "N passed, N failed".
import { runTests } from './run-tests.ts';

// A machine that cannot is told what it lacks.
process.env.CI = 'true';
process.env.IMAGES_FROM_NOTHING = 'true';
const { passed, failed } = await runTests([
  '--selectProjects',
  'docker',
  '--testPathPatterns',
  'images.test',
]);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
