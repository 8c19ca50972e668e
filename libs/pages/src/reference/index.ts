export { codeBlock } from './blocks.ts';
export { DOCUMENTATION_PATH, Reference } from './reference.ts';
export { SAMPLE_LANGUAGES, type SampleLanguage } from './samples.ts';
export { REFERENCE_SCRIPT } from './script.ts';
