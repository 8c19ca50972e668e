import type { Call } from './call.ts';
import { csharp } from './samples/csharp.ts';
import { curl } from './samples/curl.ts';
import { go } from './samples/go.ts';
import { java } from './samples/java.ts';
import { python } from './samples/python.ts';
import { typescript } from './samples/typescript.ts';

/** A language of samples: its name, its name in Markdown, and the function that writes a request in it. */
export interface SampleLanguage {
  label: string;
  language: string;
  write: (call: Call) => string;
}

/**
 * The languages of samples. Each sample is a whole program: it reads chain.pem, key.pem and ca.pem (Java: store.p12) in its folder,
 * and the rest from the environment. It prints the status and the body.
 */
export const SAMPLE_LANGUAGES: readonly SampleLanguage[] = [
  { label: 'curl', language: 'sh', write: curl },
  { label: 'TypeScript', language: 'ts', write: typescript },
  { label: 'Python', language: 'python', write: python },
  { label: 'Java', language: 'java', write: java },
  { label: 'Go', language: 'go', write: go },
  { label: 'C#', language: 'csharp', write: csharp },
];
