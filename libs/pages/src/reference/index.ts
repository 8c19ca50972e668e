export { codeBlock } from './blocks.ts';
export { Reference } from './reference.ts';
export { SAMPLE_LANGUAGES, type SampleLanguage } from './samples.ts';
export { DEVELOPER_SCRIPT_PATH, DOCUMENTATION_PATH, GUIDES_PATH, REFERENCE_SCRIPT } from './script.ts';
